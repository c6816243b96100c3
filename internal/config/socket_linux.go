package config

// maxSocket is the size of sun_path in struct sockaddr_un, with the final NUL.
const maxSocket = 108
