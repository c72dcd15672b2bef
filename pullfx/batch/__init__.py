"""Many files with the same effects, one file per task, in processes here or on a cluster."""

from pullfx.batch.job import FileReport, FileState
from pullfx.batch.run_batch import BatchReport, run_batch

__all__ = ["BatchReport", "FileReport", "FileState", "run_batch"]
