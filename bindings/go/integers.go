package toolmesh

import (
	"bytes"
	"strconv"
)

// mostDigits is how many digits the largest integer has that a type of Go holds, math.MaxUint64: what is longer stays as it is.
const mostDigits = 20

// plainIntegers is a text of JSON in which whole numbers that fit an integer of Go have neither a point nor an exponent.
func plainIntegers(text []byte) []byte {
	plain := make([]byte, 0, len(text))
	for len(text) > 0 {
		length := tokenLength(text)
		plain = append(plain, plainInteger(text[:length])...)
		text = text[length:]
	}
	return plain
}

// tokenLength is the length of the text or the number that the bytes begin with, or 1 for all between those.
func tokenLength(text []byte) int {
	switch {
	case text[0] == '"':
		return textLength(text)
	case isOfNumber(text[0]):
		length := 1
		for length < len(text) && isOfNumber(text[length]) {
			length++
		}
		return length
	}
	return 1
}

func textLength(text []byte) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// isOfNumber is whether a number has this byte somewhere. Words (true, false, null) have some of them, and none that is a digit.
func isOfNumber(one byte) bool {
	return '0' <= one && one <= '9' || bytes.IndexByte([]byte("+-.eE"), one) >= 0
}

// plainInteger is a number without point and exponent, where it is whole and short enough; any other token is as it was.
func plainInteger(token []byte) []byte {
	if token[0] != '-' && (token[0] < '0' || token[0] > '9') {
		return token
	}
	mantissa, power := token, 0
	if at := bytes.IndexAny(token, "eE"); at >= 0 {
		var err error
		if power, err = strconv.Atoi(string(token[at+1:])); err != nil {
			return token
		}
		mantissa = token[:at]
	}
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte("-")), []byte("."))
	digits := bytes.TrimLeft(append(bytes.Clone(whole), fraction...), "0")
	significant := bytes.TrimRight(digits, "0")
	zeros := len(digits) - len(significant) + power - len(fraction)
	switch {
	case len(significant) == 0:
		return []byte("0")
	case zeros < 0 || zeros > mostDigits-len(significant):
		return token
	}
	plain := append(significant, bytes.Repeat([]byte("0"), zeros)...)
	if token[0] == '-' {
		return append([]byte("-"), plain...)
	}
	return plain
}
