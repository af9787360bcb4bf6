"""What another form or format changes in a feed-forward block, one file for each kind of h."""
