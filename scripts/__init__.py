"""Programs that write data of the server before a release. The product does not import this package."""
