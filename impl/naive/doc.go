// Package naive holds the systems as most people write them first: read from
// Redis, decide in the process, write to Redis, one command at a time. It is
// correct as long as nobody else does anything between the reading and the
// writing, and no process dies between two commands.
package naive
