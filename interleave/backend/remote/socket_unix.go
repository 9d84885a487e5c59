//go:build unix

package remote

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// rawSocket is a blocking socket, read and written by plain system calls. The poller of the Go runtime would cost two
// more of them and a goroutine switch for each reply; a goroutine in a system call also keeps its bubble from being
// idle, which is wanted here.
type rawSocket struct {
	fd int
}

// rawSockets says that dialRaw works on this system.
const rawSockets = true

func dialRaw(addr net.Addr, timeout time.Duration) (socket, error) {
	family, sa, err := sockaddr(addr)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	unix.CloseOnExec(fd)
	tv := unix.NsecToTimeval(timeout.Nanoseconds())
	if err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err == nil {
		err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &tv)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("socket timeout: %w", err)
	}
	if family != unix.AF_UNIX {
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	if err := retry(func() error { return unix.Connect(fd, sa) }); err != nil && err != unix.EISCONN {
		unix.Close(fd)
		if err == unix.EINPROGRESS || err == unix.EAGAIN {
			return nil, fmt.Errorf("connect %s: no answer within %s: %w", addr, short(timeout), errTimeout)
		}
		return nil, fmt.Errorf("connect %s: %w", addr, err)
	}
	return &rawSocket{fd}, nil
}

func sockaddr(addr net.Addr) (family int, sa unix.Sockaddr, err error) {
	switch a := addr.(type) {
	case *net.UnixAddr:
		return unix.AF_UNIX, &unix.SockaddrUnix{Name: a.Name}, nil
	case *net.TCPAddr:
		if ip := a.IP.To4(); ip != nil {
			s := &unix.SockaddrInet4{Port: a.Port}
			copy(s.Addr[:], ip)
			return unix.AF_INET, s, nil
		}
		s := &unix.SockaddrInet6{Port: a.Port}
		copy(s.Addr[:], a.IP.To16())
		return unix.AF_INET6, s, nil
	}
	return 0, nil, fmt.Errorf("address %v of an unknown kind", addr)
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

func (s *rawSocket) Write(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(s.fd, b)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return errTimeout
		case err != nil:
			return err
		default:
			b = b[n:]
		}
	}
	return nil
}

func (s *rawSocket) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(s.fd, b)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return 0, errTimeout
		case err != nil:
			return 0, err
		case n == 0:
			return 0, errEOF
		default:
			return n, nil
		}
	}
}

func (s *rawSocket) Close() error {
	if s.fd < 0 {
		return nil
	}
	fd := s.fd
	s.fd = -1
	return unix.Close(fd)
}
