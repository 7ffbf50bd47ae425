"""Programs that make documents, evidence and weights; not shipped with Testimate."""
