"""What Alembic runs: the steps that the database lacks, inside the transaction it is given."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
