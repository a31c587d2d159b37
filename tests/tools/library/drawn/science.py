"""Tools for science: answers of formulas with the constants of CODATA and the atomic weights of IUPAC."""

import math

from retinue.sdk import Example, Refusal

_C, _H, _Q = 299_792_458, 6.62607015e-34, 1.602176634e-19

CALLS = [
    *(
        (
            "unit_convert_expression",
            Example({"expression": expression, "to_unit": unit}, {"value": value}, source="by hand"),
        )
        for expression, unit, value in (
            ("6 ft 2 in", "cm", 187.96),
            ("1 h 30 min", "min", 90.0),
            ("5 lb and 8 oz", "oz", 88.0),
            ("2 kW 3 h", "kWh", 6.0),
            ("20 degC", "degF", 68.0),
        )
    ),
    ("unit_convert_expression", Refusal({"expression": "20 degC 5 degC"}, "cannot be added")),
    *(
        ("chem_compute_molar_mass", Example(args, wanted, source="atomic weights of IUPAC", tolerance=2e-4))
        for args, wanted in (
            ({"formula": "C6H12O6", "grams": 36.0312}, {"molar_mass_g_mol": 180.156, "moles": 0.2}),
            ({"formula": "Ca(OH)2"}, {"molar_mass_g_mol": 74.092, "charge": 0}),
            ({"formula": "KAl(SO4)2·12H2O"}, {"molar_mass_g_mol": 474.38}),
            ({"formula": "PO4^3-", "moles": 2}, {"charge": -3, "grams": 189.942}),
        )
    ),
    (
        "circuit_analyze_divider",
        Example(
            {"input_v": 10, "upper_ohm": 1000, "lower_ohm": 1000, "load_ohm": 1000},
            {"output_v": 10 / 3, "current_a": 1 / 150, "ratio": 1 / 3, "power_w": 1 / 15},
            source="500 ohm below 1000",
        ),
    ),
    (
        "dna_describe_sequence",
        Example(
            {"sequence": "GATTACA"},
            {
                "length": 7,
                "reverse_complement": "GATTACA"[::-1].translate(str.maketrans("ACGT", "TGCA")),
                "rna": "GAUUACA",
                "gc_percent": 200 / 7,
            },
            source="str.translate",
            tolerance=1e-4,
        ),
    ),
    (
        "dna_find_reading_frames",
        Example(
            {"sequence": "GGCTAAAATTTCATGG", "minimum_codons": 3},
            {"found": 1, "orfs": [{"protein": "MKF"}]},
            source="the other strand reads CC ATG AAA TTT TAG CC",
        ),
    ),
    (
        "dna_find_restriction_sites",
        Example(
            {"sequence": "AAGGATCCTT", "enzymes": ["BamHI"]},
            {"enzymes": [{"site": "GGATCC", "cuts": [4], "fragments": [7, 3]}]},
            source="REBASE: G^GATCC",
        ),
    ),
    (
        "dna_find_restriction_sites",
        Example(
            {"sequence": "AAGGATCCTT", "enzymes": ["BamHI"], "circular": True},
            {"enzymes": [{"fragments": [10]}]},
            source="a ring that is cut once",
        ),
    ),
    (
        "health_assess_body",
        Example(
            {"weight_kg": 60, "height_cm": 165, "age": 30, "sex": "female", "activity": "moderate"},
            {"bmi": 60 / 1.65**2, "resting_kcal": 1320.25, "daily_kcal": 1320.25 * 1.55},
            source="Mifflin: 600 + 1031.25 - 150 - 161",
        ),
    ),
    (
        "heat_solve_capacity",
        Example(
            {"mass_kg": 1, "heat_j": 41860, "specific_heat_j_kg_k": 4186}, {"change_c": 10.0}, source="41860 / 4186"
        ),
    ),
    (
        "heat_solve_capacity",
        Example(
            {"mass_kg": 0.5, "from_c": 80, "to_c": 20, "specific_heat_j_g_k": 0.385},
            {"heat_j": -11550.0, "change_c": -60.0},
            source="0.5 * 385 * -60",
        ),
    ),
    (
        "optics_solve_refraction",
        Example(
            {"from_index": 1.5, "to_index": 1, "incident_degrees": 60},
            {
                "is_totally_reflected": True,
                "refracted_degrees": None,
                "critical_degrees": math.degrees(math.asin(1 / 1.5)),
            },
            source="Snell's law",
            tolerance=1e-7,
        ),
    ),
    (
        "optics_solve_refraction",
        Example(
            {"to_index": 1.33},
            {"refracted_degrees": 0.0, "speed_km_s": _C / 1.33 / 1000},
            source="c / n",
            tolerance=1e-7,
        ),
    ),
    (
        "pressure_solve_depth",
        Example({"pressure_pa": 98100}, {"depth_m": 10.0, "pressure_bar": 0.981}, source="98100 / 9810"),
    ),
    (
        "protein_describe_sequence",
        Example(
            {"sequence": "MKF"},
            {"length": 3, "mass_g_mol": 149.2113 + 146.1876 + 165.1891 - 2 * 18.0153, "gravy": 0.8 / 3},
            source="masses of amino acids less water; Kyte and Doolittle",
            tolerance=1e-4,
        ),
    ),
    (
        "spring_solve_hooke",
        Example(
            {"mass_kg": 2, "extension_m": 0.1},
            {"force_n": 19.62, "constant_n_m": 196.2, "energy_j": 0.981},
            source="2 * 9.81; F / x; F x / 2",
        ),
    ),
    (
        "wave_solve_properties",
        Example(
            {"frequency_hz": 100e6},
            {"wavelength_m": _C / 100e6, "photon_ev": _H * 100e6 / _Q, "period_s": 1e-8},
            source="c / f; h f",
            tolerance=1e-5,
        ),
    ),
    (
        "wave_solve_properties",
        Example(
            {"frequency_hz": 343, "medium": "sound"}, {"photon_ev": None, "observed_hz": 343.0}, source="all at rest"
        ),
    ),
]
