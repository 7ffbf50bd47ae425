"""From a subject or table, a technique and its options to a selector; PLAN.json and VOTES.csv read and written."""
