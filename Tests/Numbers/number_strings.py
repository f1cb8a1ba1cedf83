"""Strings that may be telephone numbers, drawn from the numbering plans of every region, and what PyPI's `phonenumbers` makes of
them. None is stored: many are somebody's number."""
import random
import re
from functools import cache

import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumberFormat, PhoneNumberType, ValidationResult
from phonenumbers import shortnumberinfo
from phonenumbers.phonenumberutil import COUNTRY_CODE_TO_REGION_CODE

REGIONS = sorted(phonenumbers.SUPPORTED_REGIONS)
CODES = sorted(COUNTRY_CODE_TO_REGION_CODE)
TYPES = ["fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip", "pager", "uan",
         "voicemail", "general_desc"]
KINDS = {
    PhoneNumberType.FIXED_LINE: "fixed_line", PhoneNumberType.MOBILE: "mobile",
    PhoneNumberType.FIXED_LINE_OR_MOBILE: "fixed_line_or_mobile", PhoneNumberType.TOLL_FREE: "toll_free",
    PhoneNumberType.PREMIUM_RATE: "premium_rate", PhoneNumberType.SHARED_COST: "shared_cost",
    PhoneNumberType.VOIP: "voip", PhoneNumberType.PERSONAL_NUMBER: "personal_number", PhoneNumberType.PAGER: "pager",
    PhoneNumberType.UAN: "uan", PhoneNumberType.VOICEMAIL: "voicemail", PhoneNumberType.UNKNOWN: "unknown",
}


# The answers of `phonenumbers`.

def described(number):
    return [
        str(digits(number)), phonenumbers.region_code_for_number(number) or "001",
        KINDS[phonenumbers.number_type(number)],
        phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL),
        phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL),
    ]


def digits(number):
    return int(f"{number.country_code}{phonenumbers.national_significant_number(number)}")


def error_of(text, region):
    try:
        phonenumbers.parse(text, region)
    except NumberParseException as error:
        return error.error_type
    return None


def expected(region, text):
    """The line that number-probe must write."""
    if region and shortnumberinfo.is_emergency_number(text, region):
        return f"short_or_emergency\t{region}"
    try:
        number = phonenumbers.parse(text, region)
        # Its extension is dropped.
        number.extension = None
    except NumberParseException as error:
        match error.error_type:
            case NumberParseException.NOT_A_NUMBER:
                return "too_short" if text in list("0123456789") else "not_a_number"
            case NumberParseException.TOO_LONG: return "too_long"
            case NumberParseException.INVALID_COUNTRY_CODE:
                missing = region is None and error_of(text, "US") != NumberParseException.INVALID_COUNTRY_CODE
                return "needs_region" if missing else "unknown_calling_code"
            case _: return "too_short"
    if digits(number) > 999_999_999_999_999:
        return "too_long"
    if phonenumbers.is_valid_number(number):
        return "\t".join(["ok", *described(number)])
    if region and shortnumberinfo.is_valid_short_number_for_region(number, region):
        return f"short_or_emergency\t{region}"
    place = phonenumbers.region_code_for_number(number) \
        or phonenumbers.region_code_for_country_code(number.country_code)
    if shortnumberinfo.is_valid_short_number(number):
        return f"short_or_emergency\t{place}"
    match phonenumbers.is_possible_number_with_reason(number):
        case ValidationResult.TOO_SHORT | ValidationResult.IS_POSSIBLE_LOCAL_ONLY: return "too_short"
        case ValidationResult.TOO_LONG: return "too_long"
        case ValidationResult.IS_POSSIBLE: return "\t".join(["unassigned", *described(number)])
        case _: return f"not_valid\t{place}"


def short_kind(number):
    """Whether digits are a short number, if they are dialed without the calling code."""
    national = phonenumbers.national_significant_number(number)
    regions = phonenumbers.region_codes_for_country_code(number.country_code)
    if any(region != "001" and shortnumberinfo.is_emergency_number(national, region) for region in regions):
        return "emergency"
    is_short = shortnumberinfo.is_valid_short_number(number) and not phonenumbers.is_valid_number(number)
    return "short" if is_short else "-"


# Strings.

@cache
def tree(pattern):
    return re._parser.parse(pattern)


def draw(rnd, part):
    """A text that matches a pattern."""
    text = ""
    for kind, content in part:
        match str(kind):
            case "LITERAL": text += chr(content)
            case "IN": text += draw_class(rnd, content)
            case "SUBPATTERN": text += draw(rnd, content[3])
            case "BRANCH": text += draw(rnd, rnd.choice(content[1]))
            case "MAX_REPEAT":
                for _ in range(rnd.randint(content[0], content[1])):
                    text += draw(rnd, content[2])
            case "AT": pass
            case other: raise ValueError(other)
    return text


def draw_class(rnd, items):
    kind, content = rnd.choice(items)
    match str(kind):
        case "RANGE": return chr(rnd.randint(*content))
        case "LITERAL": return chr(content)
        case "CATEGORY": return rnd.choice("0123456789")
        case other: raise ValueError(other)


@cache
def patterns(code, region):
    data = PhoneMetadata.metadata_for_region_or_calling_code(code, region)
    found = [getattr(data, name) for name in TYPES]
    return data, [desc.national_number_pattern for desc in found if desc is not None and desc.national_number_pattern]


@cache
def short_patterns(region):
    data = PhoneMetadata.short_metadata_for_region(region, None)
    found = [data.short_code, data.emergency, data.general_desc] if data else []
    return [desc.national_number_pattern for desc in found if desc is not None and desc.national_number_pattern]


def spaced(rnd, text):
    """With separators between some digits."""
    return "".join(
        sign + (rnd.choice([" ", "-", ".", "/", ") ", " (", "\u2010", "\u00a0", "  ", "\u2060", "~"])
                if rnd.random() < 0.25 else "") for sign in text)


ZEROS = [0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10, 0x1D7CE, 0x7C0, 0x17E0]
SEPARATORS = ["", " ", "-", ".", "/", "\u2013", "(", ")", ",", ";", "x", "#", "*", "+", "~", "a", "Ext", "\t", "\n", "'", "\\",
              "_", "é", "²", "½", "٣", "号"]
EXTENSIONS = [" x{}", "x{}", " ext. {}", " ext:{}", ";ext={}", " extension {}", "#{}", " {}#", ",,{}", ",{}", ";{}", " доб. {}",
              " anexo {}", " int {}", "~{}", " ｅｘｔ{}", " extensión {}", " Extensio\u0301n {}", " xtn-{}", " X.{}#", "- {}#",
              ",,,:{}", " ,,-{}", " ДОБ {}", " INT: {}", "extn,, {}", " (x{})", "/x{}", " x{}/x{}", " \\ x{}"]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Strings:
    """Draws strings of each kind."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.kinds = [
            self.international, self.other_place, self.national, self.bare, self.with_code, self.dialed_abroad, self.carrier,
            self.local, self.short, self.damaged, self.digits_alone, self.scripts, self.extension, self.letters, self.uri,
            self.parts, self.formatted, self.several_prefixes, self.noise,
        ]

    def place(self):
        """A calling code, one of its regions, and a national number of it."""
        # Every region as often as every other, and the codes without a region.
        if self.rnd.random() < 0.03:
            code = self.rnd.choice([code for code in CODES if COUNTRY_CODE_TO_REGION_CODE[code] == ("001",)])
            region = "001"
        else:
            region = self.rnd.choice(REGIONS)
            code = phonenumbers.country_code_for_region(region)
        data, all_patterns = patterns(code, region)
        number = draw(self.rnd, tree(self.rnd.choice(all_patterns)))
        return code, region if region != "001" else self.region(), number, data

    def region(self):
        return self.rnd.choice([None, *self.rnd.sample(REGIONS, 9)])

    def chance(self, share):
        return self.rnd.random() < share

    def draw(self):
        """The kind, the region and the text."""
        kind = self.rnd.choice(self.kinds)
        region, text = kind()
        return kind.__name__, region, text

    def international(self):
        code, region, number, _ = self.place()
        text = f"+{code}{number}"
        return self.rnd.choice([None, region]), spaced(self.rnd, text) if self.chance(0.5) else text

    def other_place(self):
        code, _, number, _ = self.place()
        return self.region(), f"+{code} {spaced(self.rnd, number)}"

    def national(self):
        _, region, number, data = self.place()
        return region, (data.national_prefix or "") + (spaced(self.rnd, number) if self.chance(0.5) else number)

    def bare(self):
        _, region, number, _ = self.place()
        return region if self.chance(0.9) else self.region(), number

    def with_code(self):
        code, region, number, data = self.place()
        prefix = (data.national_prefix or "") if self.chance(0.3) else ""
        return region, f"{code}{prefix}{number}"

    def dialed_abroad(self):
        code, _, number, _ = self.place()
        region = self.rnd.choice(REGIONS)
        data = PhoneMetadata.metadata_for_region(region, None)
        prefix = draw(self.rnd, tree(data.international_prefix or "00")) if self.chance(0.9) else "00"
        return region, prefix + self.rnd.choice(["", " ", "+"]) + f"{code}" + spaced(self.rnd, number)

    def carrier(self):
        code, region, number, data = self.place()
        rule = data.national_prefix_for_parsing
        prefix = draw(self.rnd, tree(rule)) if rule else "0"
        text = prefix + (number if self.chance(0.8) else "")
        if self.chance(0.3):
            text = f"+{code}{text}"
        return region, text

    def local(self):
        _, region, number, _ = self.place()
        return region, number[-self.rnd.randint(1, max(1, len(number) - 1)):]

    def short(self):
        region = self.rnd.choice(REGIONS)
        rules = short_patterns(region)
        text = draw(self.rnd, tree(self.rnd.choice(rules))) if rules else "112"
        code = phonenumbers.country_code_for_region(region)
        return region, self.rnd.choice(["", "", "", f"+{code}", "0", f"{code}"]) + text

    def damaged(self):
        region, text = self.rnd.choice([self.international, self.national, self.bare, self.with_code])()
        signs = list(text)
        for _ in range(self.rnd.randint(1, 3)):
            at = self.rnd.randrange(len(signs) + 1)
            match self.rnd.randrange(4):
                case 0: signs.insert(at, self.rnd.choice("0123456789"))
                case 1 if at < len(signs): signs[at] = self.rnd.choice("0123456789")
                case 2 if at < len(signs): del signs[at]
                case _: signs.insert(at, self.rnd.choice(SEPARATORS))
        return region, "".join(signs)

    def digits_alone(self):
        count = self.rnd.randint(1, 20)
        text = "".join(self.rnd.choice("0123456789") for _ in range(count))
        return self.region(), ("+" if self.chance(0.3) else "") + text

    def scripts(self):
        region, text = self.rnd.choice([self.international, self.national, self.formatted])()
        zero = self.rnd.choice(ZEROS)
        text = "".join(chr(zero + int(sign)) if sign in "0123456789" and self.chance(0.9) else sign for sign in text)
        return region, text.replace("+", "\uff0b") if self.chance(0.3) else text

    def extension(self):
        region, text = self.rnd.choice([self.international, self.national, self.formatted])()
        size = self.rnd.choice([1, 2, 3, 4, 5, 6, 7, 9, 10, 15, 16, 20, 21])
        extension = "".join(self.rnd.choice("0123456789") for _ in range(size))
        return region, text + self.rnd.choice(EXTENSIONS).replace("{}", extension)

    def letters(self):
        region, text = self.rnd.choice([self.international, self.national, self.formatted])()
        signs = list(text)
        start = self.rnd.randint(0, len(signs))
        for at in range(start, min(len(signs), start + self.rnd.randint(1, 9))):
            if signs[at] in "23456789":
                signs[at] = self.rnd.choice(LETTERS + LETTERS.lower())
        return region, "".join(signs)

    def uri(self):
        code, region, number, data = self.place()
        domains = ["example.com", "a-b.example", "example.", "-a.example", "1.2", "", "a..b"]
        contexts = [f"+{code}", f"+{code}-{number[:3]}", *domains, f"+{code}{number[:2]}", "+", "+a", "5"]
        text = self.rnd.choice([f"+{code}{number}", f"+{code}-{number}", number, (data.national_prefix or "") + number])
        parameters = [f";phone-context={self.rnd.choice(contexts)}", f";ext={self.rnd.randint(0, 9999)}", ";isub=12345", ";a=b",
                      ";phone-context=" + self.rnd.choice(contexts) + ";a=b"]
        text = self.rnd.choice(["tel:", "", "TEL:", "Tel: "]) + text
        for _ in range(self.rnd.randint(0, 2)):
            text += self.rnd.choice(parameters)
        return region, text

    def parts(self):
        region, text = self.rnd.choice([self.international, self.national, self.formatted])()
        words = ["Tel: ", "call ", "(", "<", '"', "Phone:", "p. ", "++", "+ ", "+-", "\u200e", "a1 "]
        ends = ["", ".", ")", " fax", " (home)", ">", "#", "_", " -", "\n", "/", " or 5", "+"]
        return region, self.rnd.choice(words) + text + self.rnd.choice(ends)

    def formatted(self):
        code, region, number, _ = self.place()
        stored = phonenumbers.PhoneNumber(country_code=code, national_number=int(number))
        zeros = len(number) - len(number.lstrip("0"))
        if zeros:
            stored.italian_leading_zero, stored.number_of_leading_zeros = True, zeros
        form = self.rnd.choice([PhoneNumberFormat.NATIONAL, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.RFC3966])
        return region, phonenumbers.format_number(stored, form)

    def several_prefixes(self):
        code, region, number, data = self.place()
        marks = ["+", "00", "0", "011", str(code), data.national_prefix or "", "+00", "++", " ", "(0)", "0" + str(code)]
        return region, "".join(self.rnd.choice(marks) for _ in range(self.rnd.randint(1, 4))) + number

    def noise(self):
        size = self.rnd.choice([1, 2, 3, 5, 8, 12, 20, 40, 249, 250, 251, 300]) if self.chance(0.2) \
            else self.rnd.randint(1, 16)
        signs = SEPARATORS + list("0123456789") * 4
        text = "".join(self.rnd.choice(signs) for _ in range(size))
        return self.region(), text
