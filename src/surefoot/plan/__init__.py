"""What was promised: the plan file, its checks, and the gate for SQL expressions of users."""
