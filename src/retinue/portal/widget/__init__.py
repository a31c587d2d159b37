"""What visitors load: the widget, and the page of a shared agent. `bundle` joins the widget's sources into one script.

The owner's pages belong to `portal.sharing`, and the protocol of the widget to `interop.agui`.
"""
