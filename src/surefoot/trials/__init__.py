"""What a trial row is: columns, truth table, provenance, and the relation that holds the rows."""
