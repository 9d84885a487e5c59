//go:build race

package raced

// Enabled says whether the binary was built with the race detector.
const Enabled = true
