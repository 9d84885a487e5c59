package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

// oldServer is the name under which the test binary is a server of another age.
const oldServer = "redis-server-5"

// serveOld answers INFO as a redis-server 5 would and everything else with OK, on the socket that it is given.
func serveOld() {
	at := slices.Index(os.Args, "--unixsocket")
	if at < 0 || at+1 >= len(os.Args) {
		os.Exit(1)
	}
	listener, err := net.Listen("unix", os.Args[at+1])
	if err != nil {
		os.Exit(1)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			os.Exit(1)
		}
		go answerOld(conn)
	}
}

func answerOld(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	number := func(sign string) int {
		line, err := in.ReadString('\n')
		n, bad := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, sign)))
		if err != nil || bad != nil {
			return -1
		}
		return n
	}
	for {
		n := number("*")
		if n < 1 {
			return
		}
		var command []string
		for range n {
			arg := make([]byte, max(number("$"), 0)+len("\r\n"))
			if _, err := io.ReadFull(in, arg); err != nil {
				return
			}
			command = append(command, strings.TrimSpace(string(arg)))
		}
		reply := "+OK\r\n"
		if strings.EqualFold(command[0], "INFO") {
			const info = "# Server\r\nredis_version:5.0.14\r\n"
			reply = "$" + strconv.Itoa(len(info)) + "\r\n" + info + "\r\n"
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return
		}
	}
}
