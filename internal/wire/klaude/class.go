package klaude

// At begins every event.
type At struct {
	SessionID string  `json:"session_id"`
	Timestamp Seconds `json:"timestamp" jsonschema:"seconds since 1970"`
}

// Of begins every event of a model response.
type Of struct {
	At
	ResponseID *string `json:"response_id"`
}

// The event classes. Lifecycle.
type (
	// TaskStartEvent begins a run.
	TaskStartEvent struct {
		At
		SubAgentState *SubAgentState `json:"sub_agent_state" jsonschema:"of a sub-agent, else null"`
	}
	// TaskFinishEvent ends a run with the text of its last answer.
	TaskFinishEvent struct {
		At
		TaskResult          string `json:"task_result"`
		HasStructuredOutput bool   `json:"has_structured_output"`
	}
	// TurnStartEvent begins a step.
	TurnStartEvent struct{ At }
	// TurnEndEvent ends a step.
	TurnEndEvent struct{ At }
)

// Streaming.
type (
	// ThinkingStartEvent begins a thought.
	ThinkingStartEvent struct{ Of }
	// ThinkingDeltaEvent adds to the open thought.
	ThinkingDeltaEvent struct {
		Of
		Content string `json:"content"`
	}
	// ThinkingEndEvent ends the open thought.
	ThinkingEndEvent struct{ Of }
	// AssistantTextStartEvent begins a piece of the answer.
	AssistantTextStartEvent struct{ Of }
	// AssistantTextDeltaEvent adds to the open piece of the answer.
	AssistantTextDeltaEvent struct {
		Of
		Content string `json:"content"`
	}
	// AssistantTextEndEvent ends the open piece of the answer.
	AssistantTextEndEvent struct{ Of }
	// AssistantImageDeltaEvent names an image that the model made.
	AssistantImageDeltaEvent struct {
		Of
		FilePath string `json:"file_path"`
	}
	// ToolCallStartEvent says that the model is writing a call.
	ToolCallStartEvent struct {
		Of
		ToolCallID string `json:"tool_call_id"`
		ToolName   string `json:"tool_name"`
	}
	// ResponseCompleteEvent is the snapshot of a response that was completed.
	ResponseCompleteEvent struct {
		Of
		Content      string  `json:"content"`
		ThinkingText *string `json:"thinking_text"`
	}
)

// Tools.
type (
	// ToolCallEvent shows a call with its arguments.
	ToolCallEvent struct {
		Of
		ToolCallID string `json:"tool_call_id"`
		ToolName   string `json:"tool_name"`
		Arguments  string `json:"arguments" jsonschema:"a JSON object"`
	}
	// ToolResultEvent is what came of a call.
	ToolResultEvent struct {
		Of
		ToolCallID   string        `json:"tool_call_id"`
		ToolName     string        `json:"tool_name"`
		Result       string        `json:"result"`
		UIExtra      *UIExtra      `json:"ui_extra"`
		Status       string        `json:"status" jsonschema:"success or error"`
		TaskMetadata *TaskMetadata `json:"task_metadata"`
		IsLastInTurn bool          `json:"is_last_in_turn"`
	}
)

// Metadata.
type (
	// UsageEvent counts the tokens of a response.
	UsageEvent struct {
		Of
		Usage Usage `json:"usage"`
	}
	// TaskMetadataEvent sums a run up.
	TaskMetadataEvent struct {
		At
		Metadata TaskMetadataItem `json:"metadata"`
	}
	// ContextUsageEvent says how full the context is.
	ContextUsageEvent struct {
		At
		ContextPercent float64 `json:"context_percent"`
	}
)

// Chat.
type (
	// UserMessageEvent is what a person said.
	UserMessageEvent struct {
		At
		Content string  `json:"content"`
		Images  []Image `json:"images" jsonschema:"null: none"`
	}
	// DeveloperMessageEvent is what the program told the model.
	DeveloperMessageEvent struct {
		At
		Item DeveloperMessage `json:"item"`
	}
	// TodoChangeEvent replaces the plan.
	TodoChangeEvent struct {
		At
		Todos []Todo `json:"todos"`
	}
)

// System.
type (
	// WelcomeEvent begins the stream.
	WelcomeEvent struct {
		At
		WorkDir            string    `json:"work_dir"`
		LLMConfig          LLMConfig `json:"llm_config"`
		ShowKlaudeCodeInfo bool      `json:"show_klaude_code_info"`
	}
	// ErrorEvent says what went wrong, or what is tried again.
	ErrorEvent struct {
		At
		ErrorMessage string `json:"error_message"`
		CanRetry     bool   `json:"can_retry"`
	}
	// InterruptEvent says that a person stopped the run.
	InterruptEvent struct{ At }
	// EndEvent is the last line; its session id is [App].
	EndEvent struct{ At }
	// ReplayHistoryEvent holds the past of a session.
	ReplayHistoryEvent struct {
		At
		Events    []Line  `json:"events" jsonschema:"each as a line of this stream"`
		UpdatedAt Seconds `json:"updated_at" jsonschema:"seconds since 1970"`
		IsLoad    bool    `json:"is_load"`
	}
)

// SubAgentState says what a sub-agent is for.
type SubAgentState struct {
	SubAgentType   string  `json:"sub_agent_type"`
	SubAgentDesc   string  `json:"sub_agent_desc"`
	SubAgentPrompt string  `json:"sub_agent_prompt"`
	Resume         *string `json:"resume"`
	OutputSchema   *Object `json:"output_schema"`
	Generation     *Object `json:"generation"`
}

// An Object is one whose members are not known here.
type Object map[string]any

// Usage counts tokens and cost.
type Usage struct {
	InputTokens         int      `json:"input_tokens"`
	CachedTokens        int      `json:"cached_tokens"`
	ReasoningTokens     int      `json:"reasoning_tokens"`
	OutputTokens        int      `json:"output_tokens"`
	ImageTokens         int      `json:"image_tokens"`
	ContextSize         *int     `json:"context_size"`
	ContextLimit        *int     `json:"context_limit"`
	MaxTokens           *int     `json:"max_tokens"`
	ThroughputTPS       *float64 `json:"throughput_tps"`
	FirstTokenLatencyMS *float64 `json:"first_token_latency_ms"`
	InputCost           *float64 `json:"input_cost"`
	OutputCost          *float64 `json:"output_cost"`
	CacheReadCost       *float64 `json:"cache_read_cost"`
	ImageCost           *float64 `json:"image_cost"`
	Currency            string   `json:"currency"`
	ResponseID          *string  `json:"response_id"`
	ModelName           string   `json:"model_name"`
	Provider            *string  `json:"provider"`
	TaskDurationS       *Seconds `json:"task_duration_s"`
	CreatedAt           string   `json:"created_at" jsonschema:"UTC, without a zone"`
	TotalTokens         int      `json:"total_tokens"`
	TotalCost           *float64 `json:"total_cost"`
	ContextUsagePercent *float64 `json:"context_usage_percent"`
}

// TaskMetadata is the cost of one agent's task.
type TaskMetadata struct {
	Usage         *Usage   `json:"usage"`
	ModelName     string   `json:"model_name"`
	Provider      *string  `json:"provider"`
	TaskDurationS *Seconds `json:"task_duration_s"`
	TurnCount     int      `json:"turn_count"`
}

// TaskMetadataItem is the cost of a task.
type TaskMetadataItem struct {
	MainAgent            TaskMetadata   `json:"main_agent"`
	SubAgentTaskMetadata []TaskMetadata `json:"sub_agent_task_metadata"`
	CreatedAt            string         `json:"created_at" jsonschema:"UTC, without a zone"`
}

// UIExtra is what people see of a result beyond its text.
type UIExtra struct {
	Type      string    `json:"type" jsonschema:"diff, session_id, truncation or multi"`
	FilePath  *string   `json:"file_path,omitempty" jsonschema:"diff: the file; truncation: where the whole output is"`
	Language  *string   `json:"language,omitempty" jsonschema:"diff"`
	Diff      *string   `json:"diff,omitempty" jsonschema:"diff: unified"`
	SessionID *string   `json:"session_id,omitempty" jsonschema:"session_id: of the sub-agent"`
	Items     []UIPiece `json:"items,omitempty" jsonschema:"multi"`
}

// UIPiece is one of several [UIExtra].
type UIPiece struct {
	Type      string  `json:"type" jsonschema:"diff, session_id or truncation"`
	FilePath  *string `json:"file_path,omitempty"`
	Language  *string `json:"language,omitempty"`
	Diff      *string `json:"diff,omitempty"`
	SessionID *string `json:"session_id,omitempty"`
}

// Image is a picture that came with a message.
type Image struct {
	Type string `json:"type" jsonschema:"image_url"`
	URL  string `json:"url" jsonschema:"a file URL, or sha256: and the digest of what the session keeps"`
}

// DeveloperMessage is what the model was told by the program.
type DeveloperMessage struct {
	Role   string     `json:"role" jsonschema:"developer"`
	Parts  []TextPart `json:"parts"`
	Origin string     `json:"origin" jsonschema:"skip, agent, job, recovery, continue, extension or summary"`
}

// TextPart is a piece of a message.
type TextPart struct {
	Type string `json:"type" jsonschema:"text"`
	Text string `json:"text"`
}

// Todo is a line of the plan.
type Todo struct {
	Content string `json:"content"`
	Status  string `json:"status" jsonschema:"pending, in_progress or completed"`
}

// LLMConfig says which model answers.
type LLMConfig struct {
	ProviderName string  `json:"provider_name" jsonschema:"empty: nobody has chosen yet"`
	ModelID      string  `json:"model_id" jsonschema:"empty: nobody has chosen yet"`
	Effort       *string `json:"effort" jsonschema:"of reasoning; null: the model's own"`
}

// classes are the event classes, each with its zero value.
var classes = []any{
	TaskStartEvent{}, TaskFinishEvent{}, TurnStartEvent{}, TurnEndEvent{},
	ThinkingStartEvent{}, ThinkingDeltaEvent{}, ThinkingEndEvent{},
	AssistantTextStartEvent{}, AssistantTextDeltaEvent{}, AssistantTextEndEvent{}, AssistantImageDeltaEvent{},
	ToolCallStartEvent{}, ResponseCompleteEvent{}, ToolCallEvent{}, ToolResultEvent{},
	UsageEvent{}, TaskMetadataEvent{}, ContextUsageEvent{},
	UserMessageEvent{}, DeveloperMessageEvent{}, TodoChangeEvent{},
	WelcomeEvent{}, ErrorEvent{}, InterruptEvent{}, EndEvent{}, ReplayHistoryEvent{},
}
