package toolmesh

// TagMatcher chooses nodes by their tags: those of which any tag matches. The functions TagExact, TagPrefix, TagAxis, TagAxisKey,
// TagRegex and TagVersionRange make the six kinds.
type TagMatcher struct {
	// Kind is exact, prefix, axis, axis_key, regex or version_range.
	Kind string `json:"kind"`
	// Value is the tag of exact, or the beginning of prefix.
	Value string `json:"value,omitempty"`
	// Axis is that of axis and axis_key.
	Axis string `json:"axis,omitempty"`
	// Key is that of axis_key.
	Key string `json:"key,omitempty"`
	// Pattern is that of regex.
	Pattern string `json:"pattern,omitempty"`
	// AxisKey is AXIS.KEY of version_range.
	AxisKey string `json:"axis_key,omitempty"`
	// Min is the least semantic version of version_range; nil is no bound.
	Min *string `json:"min,omitempty"`
	// Max is the greatest one, likewise.
	Max *string `json:"max,omitempty"`
}

// TagExact matches that tag.
func TagExact(tag string) *TagMatcher { return &TagMatcher{Kind: "exact", Value: tag} }

// TagPrefix matches tags that begin so: region.eu.
func TagPrefix(start string) *TagMatcher { return &TagMatcher{Kind: "prefix", Value: start} }

// TagAxis matches tags of an axis: hardware, software, devices or dataforts.
func TagAxis(axis string) *TagMatcher { return &TagMatcher{Kind: "axis", Axis: axis} }

// TagAxisKey matches tags of a key of an axis.
func TagAxisKey(axis, key string) *TagMatcher {
	return &TagMatcher{Kind: "axis_key", Axis: axis, Key: key}
}

// TagRegex matches tags in which the pattern is found.
func TagRegex(pattern string) *TagMatcher { return &TagMatcher{Kind: "regex", Pattern: pattern} }

// TagVersionRange matches tags such as software.python=3.12.1 whose version lies between the two, each of which may be empty.
func TagVersionRange(axisKey, least, most string) *TagMatcher {
	return &TagMatcher{Kind: "version_range", AxisKey: axisKey, Min: optional(least), Max: optional(most)}
}

// matcherText is a matcher as it crosses; none is no text.
func matcherText(matcher *TagMatcher) ([]byte, error) {
	if matcher == nil {
		return nil, nil
	}
	return encode(matcher, "the tag matcher")
}
