"""Letters for captions: 5 by 7 dots, one hexadecimal byte a row, the highest of the five bits at the left."""

import numpy as np

HEIGHT, ADVANCE = 7, 6  # rows, and columns from one letter to the next

_ROWS = {
    "0": "0E11131519110E", "1": "040C040404040E", "2": "0E11010204081F", "3": "1F02040201110E", "4": "02060A121F0202",
    "5": "1F101E0101110E", "6": "0608101E11110E", "7": "1F010204080808", "8": "0E11110E11110E", "9": "0E11110F01020C",
    "A": "0E11111F111111", "B": "1E11111E11111E", "C": "0E11101010110E", "D": "1C12111111121C", "E": "1F10101E10101F",
    "F": "1F10101E101010", "G": "0E11101711110F", "H": "1111111F111111", "I": "0E04040404040E", "J": "0702020202120C",
    "K": "11121418141211", "L": "1010101010101F", "M": "111B1515111111", "N": "11111915131111", "O": "0E11111111110E",
    "P": "1E11111E101010", "Q": "0E11111115120D", "R": "1E11111E141211", "S": "0F10100E01011E", "T": "1F040404040404",
    "U": "1111111111110E", "V": "11111111110A04", "W": "1111111515150A", "X": "11110A040A1111", "Y": "1111110A040404",
    "Z": "1F01020408101F", " ": "00000000000000", ".": "00000000000C0C", ",": "000000000C0408", ":": "000C0C000C0C00",
    "-": "0000001F000000", "_": "0000000000001F", "+": "0004041F040400", "=": "00001F001F0000", "/": "00010204081000",
    "%": "18190204081303", "(": "02040808080402", ")": "08040202020408", "?": "0E110102040004",
}  # fmt: skip


def draw(text):
    """The text as an array (HEIGHT, ADVANCE * len(text)) of booleans. Letters that are not there become "?"."""
    rows = np.array([list(bytes.fromhex(_ROWS.get(letter, _ROWS["?"]))) for letter in text.upper()], np.uint8)
    dots = np.unpackbits(rows.reshape(len(text), HEIGHT, 1), axis=2)[:, :, 3:]
    return np.pad(dots, ((0, 0), (0, 0), (0, ADVANCE - 5))).transpose(1, 0, 2).reshape(HEIGHT, -1).astype(bool)
