"""A doctor for data: what is wrong or odd with columns before they are scored."""

from properly.evaluation._checkup._check import Checkup, check
from properly.evaluation._checkup._symptom import Symptom

__all__ = ["Checkup", "Symptom", "check"]
