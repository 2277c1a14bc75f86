"""The former place of the room `_cumulative_forecast`."""

from properly._cumulative_forecast import CumulativeForecast, cumulative_forecast

__all__ = ["CumulativeForecast", "cumulative_forecast"]
