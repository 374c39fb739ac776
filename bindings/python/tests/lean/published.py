"""Data and results that others have published, for tests that must not rest on figures of our own making."""

from __future__ import annotations

import datetime

WHEELER_VERIFYING = [5045, 4350, 4350, 3975, 4290, 4430, 4485, 4285, 3980, 3925, 3645, 3760, 3300, 3685, 3463, 5200]
"""D. J. Wheeler, Making Sense of Data, SPC Press 2003, page 382: data to verify software with. The book gives the average
4135.50, the
average range 355.93 and the limits 3188.72 and 5082.28."""

WHEELER_MEDIAN = [2.5, 2.3, 16.3, 6.3, 7.6, 16.3, 7.1, 7.8, 7.8, 9.9, 10.5, -4.8]
"""The same, page 145: limits by the median moving range. The book gives 7.47, 2.1, 0.87, 14.07 and 8.12."""

WHEELER_ACCOUNTS = [
    *(55.6, 54.7, 54.9, 54.8, 56.9, 55.7, 53.8, 54.8, 53.4, 57.0, 59.4, 63.2),
    *(60.9, 60.7, 58.6, 57.3, 56.9, 58.1, 58.3, 50.9, 53.3, 52.5, 50.8, 52.9),
]
"""The same, table 9.2: accounts receivable of two years, one phase each."""

NIST_FLOW = [49.6, 47.6, 49.9, 51.3, 47.8, 51.2, 52.6, 52.4, 53.6, 52.1]
"""NIST/SEMATECH e-Handbook of Statistical Methods, section 6.3.2.2, flow rates of batches. It gives the mean 50.81, the mean range
1.8778 and, with 3 / 1.128, the limits 45.8159 and 55.8041."""

MONTGOMERY_LOANS = [
    *(310, 288, 297, 298, 307, 303, 294, 297, 308, 306, 294, 299, 297, 299, 314, 295, 293, 306, 301, 304),
    *(305, 282, 305, 296, 314, 295, 287, 301, 298, 311, 310, 292, 305, 299, 304, 310, 304, 305, 333, 328),
]
"""D. C. Montgomery, Introduction to Statistical Quality Control, 7th ed., example 6.5 and table 6.7: costs of processing mortgage
loans.
The first 20 give the limits 279.78 and 321.22 about 300.5, and 7.79 and 25.45 for the ranges; weeks 39 and 40 are beyond."""

QCC_VISCOSITY = [
    *(34.05, 34.40, 33.59, 35.96, 34.70, 33.51, 33.79, 34.04, 34.52, 33.75, 33.27, 33.71, 34.03, 34.58, 34.02, 33.97, 34.05, 34.04),
    *(33.73, 34.05, 34.39, 33.75, 33.40, 33.27, 34.65, 34.80, 34.55, 35.40, 34.75, 34.50, 34.70, 34.29, 34.61, 34.49, 35.03),
]
"""The data set `viscosity` of the R package qcc: 20 batches to set limits by, and 15 more."""

MONTGOMERY_VALVE = [286, 948, 536, 124, 816, 729, 4, 143, 431, 8, 2837, 596, 81, 227, 603, 492, 1199, 1214, 2831, 96]
"""Montgomery, example 7.6 and table 7.14: hours between failures of a valve. The R package qicharts2 keeps as its reference of this
example the centre 430.04095178975825 and the upper limit 6937.933488166575, and no lower limit; it takes 3 / 1.128 for 2.66."""

BENNEYAN_INFECTIONS = [
    datetime.date(1995, month, day)
    for month, days in (
        (4, (17, 17, 17, 19, 20)),
        (5, (3, 5, 5, 6, 7, 8, 9, 9, 10, 11, 27, 27, 28, 29, 31)),
        (6, (10, 11, 12, 14, 16, 16, 18, 21, 21)),
    )
    for day in days
]
"""J. C. Benneyan, "Statistical Quality Control Methods in Infection Control and Hospital Epidemiology, Part II", Infection
Control and
Hospital Epidemiology 19, 1998, as adapted in the SAS/QC User's Guide, procedure RAREEVENTS: dates of 29 infections."""

QCC_DEFECTS = {"price code": 80, "schedule date": 27, "supplier code": 66, "contact num.": 94, "part num.": 33}
"""The example of `pareto.chart` in the R package qcc, which prints the shares 31.33, 26.67, 22, 11 and 9 percent."""

NEWCOMBE = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
"""R. G. Newcombe, "Two-Sided Confidence Intervals for the Single Proportion", Statistics in Medicine 17, 1998, table I, method 3:
x, n
and the limits of Wilson's interval of 95 percent."""
