"""The tool catalogue of Retinue, a package for each category. Workers and the compiler import it."""
