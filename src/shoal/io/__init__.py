"""Files and frames in, files and frames out; nothing here decides anything."""
