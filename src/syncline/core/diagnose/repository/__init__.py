"""What rules on repositories share: what its apps deliver, who makes what, the lines and edits of a finding."""
