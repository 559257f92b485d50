// Builds the precompiled header of LibTorch, which all units that need it share.
