"""The tests; a package, since one of the same name may stand among those installed."""
