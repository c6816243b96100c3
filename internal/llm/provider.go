package llm

import "net/http"

// Provider is a kind of model, and says all that the program knows of it: a list of them in the wiring is what the
// configuration's types and built-in servers, the listing of models, the checks of doctor and the documents follow
// from. Which models a server has is none of it: the server is asked, and package catalog knows them. Its servers are
// spoken to by Wire; where it has none, as a script, Local makes the model.
type Provider struct {
	// Type is its name in the configuration.
	Type string
	// Servers are built into the configuration.
	Servers []Server
	// Wire and Local: one of them is set.
	Wire  *Wire
	Local *Local
}

// Model is the model of that name. An empty o.Provider is the provider's type.
func (p Provider) Model(o Options, name string) (Model, *Fault) {
	if o.Provider == "" {
		o.Provider = p.Type
	}
	if p.Local != nil {
		return p.Local.Open(o, name)
	}
	return &model{p.Wire, o}, nil
}

// Server is a provider of the built-in configuration.
type Server struct {
	// Name is what stands before the slash in the names of its models.
	Name string
	// BaseURL is its address; empty is the wire's own.
	BaseURL string
	// KeyEnv is the environment variable that holds the key; empty: it wants none.
	KeyEnv string
	// BaseEnv is the environment variable that holds another address for it, and ReadBase makes one of its value where
	// that may be something else; nil: it is an address.
	BaseEnv  string
	ReadBase func(value string) string
}

// Wire is a protocol that servers of models speak. It is pure functions of a request and of an answer's events; this
// package sends the request and reads the events.
type Wire struct {
	// Base is the address of whoever made the protocol, and Version the segment, such as "/v1", that is added to an
	// address whose path has none of its kind.
	Base, Version string
	// Authorize sets the headers of each request; key is empty where the server wants none.
	Authorize func(h http.Header, key string)
	// Encode writes a request.
	Encode func(r Request, to Target) (Post, error)
	// Decode makes what takes the events of one answer.
	Decode func(a *Answer) Decoder
	// Images is what its servers take of pictures. No other ones get to Encode.
	Images ImageLimits
	// ListPath is where below the base address a server lists its models, with the query; empty: it has no list.
	ListPath string
	// ReadList finds the names of the models in such a list; ok is false for what is none.
	ReadList func(body []byte) (names []string, ok bool)
}

// Post is a request as a wire writes it.
type Post struct {
	// Path is below the base address, with its query.
	Path string
	// Header is what this request has besides what Authorize sets.
	Header http.Header
	Body   []byte
}

// Local is a model without a server.
type Local struct {
	// Open makes the model of that name.
	Open func(o Options, name string) (Model, *Fault)
	// Name stands for the names of its models in a list, and About says there what they do.
	Name, About string
}

// Bearer is the Authorize of most wires.
func Bearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

// Target is where a request goes. Opaque data goes back only to the provider that it is from, and some members of a
// request only to certain addresses.
type Target struct {
	Provider string
	Base     string
}

// Decoder takes the events of one answer and writes what they add to it. An error that is no [Fault] means that the bytes
// are not of the wire's form.
type Decoder interface {
	// Event takes the data of the next event, which is valid until it returns. The answer may be over with it: nothing
	// is read after it.
	Event(data []byte) (over bool, err error)
	// End takes the end of a stream that no event ended.
	End() error
}
