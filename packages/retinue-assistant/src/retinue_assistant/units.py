"""Formats values with their units. The unit is a suffix of the field name, or the value of a separate field."""

from collections.abc import Callable, Mapping

from retinue.language.markdown_values import Json, in_sentence


def _table(text: str) -> dict[str, str]:
    """Parse `name: unit; name: unit` into a dictionary."""
    return dict(row.split(": ") for row in text.split("; "))


_OF_NAMES = _table(
    "charge_c: C; current_a: A; drop_v: V; loaded_v: V; output_v: V; voltage_v: V; loss_w: W; power_w: W; "
    "temperature_k: K; mass_g: g; mass_u: u; force_n: N; watts_m2: W/m²"
)
"""Units by full field name, for names whose suffix is ambiguous."""
_ENDS = _table(
    "rad_s: rad/s; kg_m_s: kg m/s; l_mol_cm: L/(mol cm); j_g_k: J/(g K); m_s2: m/s²; m_s: m/s; km_s: km/s; "
    "km_h: km/h; mbit_s: Mbit/s; g_mol: g/mol; mol_l: mol/L; n_m: N/m; kg_m3: kg/m³; g_m3: g/m³; g_cm3: g/cm³; "
    "ml_min: mL/min; km2: km²; cm2: cm²; mm2: mm²; m2: m²; cm3: cm³; m3: m³; atm: atm; bar: bar; bits: bits; bpm: bpm; "
    "c: °C; cm: cm; db: dB; degrees: degrees; ev: eV; f: °F; hz: Hz; j: J; kbps: kbit/s; kcal: kcal; kg: kg; kj: kJ; "
    "km: km; kpa: kPa; kwh: kWh; l: L; lb: lb; m: m; ma: mA; mg: mg; ml: mL; mm: mm; mmol: mmol; mol: mol; mph: mph; "
    "ms: ms; mw: mW; ohm: Ω; pa: Pa; ppm: ppm; px: px; rpm: rpm; s: s; tb: TB"
)
"""Units by suffix of the field name. A suffix that ends with another one comes first."""
_OWN = (("value", "symbol"), ("value", "unit"), ("base_value", "base_unit"), ("amount", "currency"))


def with_units(result: Mapping[str, Json], write: Callable[[Json], str] = in_sentence) -> dict[str, Json]:
    """Join each value with its unit if the unit is a separate field."""
    joined = {name: value for name, value in result.items() if name != "dimension"}
    for value, unit in _OWN:
        if isinstance(joined.get(unit), str) and isinstance(joined.get(value), int | float):
            joined[value] = f"{write(joined[value])} {joined.pop(unit)}"
            if unit == "symbol":
                joined.pop("unit", None)
    return joined


def label(name: str, value: Json) -> str:
    """Return the label of a field: its name without the unit suffix, and with spaces."""
    return name.removesuffix(_unit(name, value)[0]).replace("_", " ")


def value_with_unit(name: str, value: Json, write: Callable[[Json], str] = in_sentence) -> str:
    """Format a value with `write`, and with the unit from its field name, if any."""
    return f"{write(value)} {_unit(name, value)[1]}".rstrip()


def _unit(name: str, value: Json) -> tuple[str, str]:
    """Return the unit suffix of a field name, and the unit; both empty if there is none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or "_per_" in name:
        return "", ""
    if name == "percent" or name.endswith("_percent"):
        return "", "%"
    if unit := _OF_NAMES.get(name):
        return f"_{name.rpartition('_')[2]}", unit
    return next(((f"_{end}", unit) for end, unit in _ENDS.items() if name.endswith(f"_{end}")), ("", ""))
