//go:build !linux

package config

// maxSocket is the size of sun_path in struct sockaddr_un on macOS and the
// BSDs, with the final NUL.
const maxSocket = 104
