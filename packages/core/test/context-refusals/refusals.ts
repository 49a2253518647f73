// Bodies of refusals of a prompt that is too long, as the servers send them.

/** The server, the status, the whole body, and the numbers that it tells: the window and the prompt in tokens. */
export type Refusal = readonly [
  server: string,
  status: number,
  body: unknown,
  contextTokens?: number | undefined,
  promptTokens?: number | undefined,
]

const openai = (message: string, fields: object = {}) => ({
  error: {
    message,
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
    ...fields,
  },
})
const plain = (message: string, fields: object = {}) => ({ error: { message, ...fields } })
const anthropic = (message: string, type = 'invalid_request_error') => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
})
const vllm = (message: string) => ({
  object: 'error',
  message,
  type: 'BadRequestError',
  param: null,
  code: 400,
})
const openrouter = (raw: unknown, provider: string) =>
  plain('Provider returned error', { code: 400, metadata: { raw, provider_name: provider } })

export const refusals: readonly Refusal[] = [
  [
    'OpenAI: messages',
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150123 tokens. Please reduce the length of the messages.",
    ),
    128000,
    150123,
  ],
  [
    'OpenAI: messages and functions',
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9321 tokens (9012 in the messages, 309 in the functions). Please reduce the length of the messages or functions.",
    ),
    8192,
    9012,
  ],
  [
    'OpenAI: messages and completion',
    400,
    openai(
      "This model's maximum context length is 4097 tokens. However, you requested 4936 tokens (3912 in the messages, 1024 in the completion). Please reduce the length of the messages or completion.",
    ),
    4097,
    3912,
  ],
  [
    'OpenAI: prompt and completion',
    400,
    openai(
      "This model's maximum context length is 4097 tokens, however you requested 4231 tokens (3975 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.",
      { param: null, code: null },
    ),
    4097,
    3975,
  ],
  [
    'OpenAI: the configured limit',
    400,
    openai(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 310444 tokens. Please reduce the length of the messages.',
    ),
    272000,
    310444,
  ],
  [
    'OpenAI: responses',
    400,
    openai('Your input exceeds the context window of this model. Please adjust your input and try again.', {
      param: 'input',
    }),
  ],
  ['OpenAI: a code alone', 400, plain('Bad request.', { code: 'context_length_exceeded' })],
  ['Azure', 400, openai('The input is invalid.', { innererror: { code: 'x' } })],
  ['Anthropic: prompt', 400, anthropic('prompt is too long: 207601 tokens > 200000 maximum'), 200000, 207601],
  [
    'Anthropic: prompt and max_tokens',
    400,
    anthropic(
      'input length and `max_tokens` exceed context limit: 190402 + 16650 > 204648, decrease input length or `max_tokens` and try again',
    ),
    204648,
    190402,
  ],
  ['Anthropic: 413', 413, anthropic('Prompt is too long', 'request_too_large')],
  [
    'vLLM: first generation',
    400,
    vllm(
      "This model's maximum context length is 4096 tokens. However, you requested 5120 tokens (4608 in the messages, 512 in the completion). Please reduce the length of the messages or completion.",
    ),
    4096,
    4608,
  ],
  [
    'vLLM: input tokens',
    400,
    plain(
      "This model's maximum context length is 32768 tokens. However, your request has 40321 input tokens. Please reduce the length of the input messages.",
      { type: 'BadRequestError', param: null, code: 400 },
    ),
    32768,
    40321,
  ],
  [
    'vLLM: output and input tokens',
    400,
    plain(
      "This model's maximum context length is 131072 tokens. However, you requested 102400 output tokens and your prompt contains at least 28673 input tokens, for a total of at least 131073 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=28673)",
      { type: 'BadRequestError', param: 'input_tokens', code: 400 },
    ),
    131072,
    28673,
  ],
  [
    'vLLM: passed tokens',
    400,
    plain(
      "You passed 40001 input tokens and requested 128 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 32640 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=40001)",
      { type: 'BadRequestError', param: 'input_tokens', code: 400 },
    ),
    32768,
    40001,
  ],
  [
    'vLLM: passed characters',
    400,
    plain(
      "You passed 120484 input characters and requested 1024 output tokens. However, the model's context length is only 20000 tokens, resulting in a maximum input length of 18976 tokens (at most 82000 characters). Please reduce the length of the input prompt. (parameter=input_text, value=120484)",
      { type: 'BadRequestError', param: 'input_text', code: 400 },
    ),
    20000,
  ],
  [
    'vLLM: characters of the prompt',
    400,
    plain(
      "This model's maximum context length is 20000 tokens. However, you requested 1024 output tokens and your prompt contains 500000 characters (more than 300000 characters, which is the upper bound for 18976 input tokens). Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_text, value=500000)",
      { type: 'BadRequestError', param: 'input_text', code: 400 },
    ),
    20000,
  ],
  [
    'vLLM: a max_tokens that fits the window',
    400,
    plain(
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 20000 tokens and your request has 18247 input tokens (2000 > 20000 - 18247). (parameter=max_tokens, value=2000)",
      { type: 'BadRequestError', param: 'max_tokens', code: 400 },
    ),
    20000,
    18247,
  ],
  [
    'vLLM: a max_tokens that fits the window, without the sum',
    400,
    vllm(
      "max_tokens is too large: 2000. This model's maximum context length is 20000 tokens and your request has 25000 input tokens.",
    ),
    20000,
    25000,
  ],
  [
    'vLLM: decoder prompt',
    400,
    vllm(
      'The decoder prompt (length 9001) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ),
    8192,
    9001,
  ],
  [
    'vLLM: prompt that does not fit',
    500,
    vllm(
      'The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.',
    ),
    4096,
    25938,
  ],
  [
    'llama.cpp: with the numbers',
    400,
    plain('request (8708 tokens) exceeds the available context size (8192 tokens), try increasing it', {
      code: 400,
      type: 'exceed_context_size_error',
      n_prompt_tokens: 8708,
      n_ctx: 8192,
    }),
    8192,
    8708,
  ],
  [
    'llama.cpp: with numbers in fields',
    500,
    plain(
      'the request exceeds the available context size. try increasing the context size or enable context shift',
      { code: 500, type: 'exceed_context_size_error', n_prompt_tokens: 1407, n_ctx: 1024 },
    ),
    1024,
    1407,
  ],
  ['llama.cpp: 500', 500, plain('Context size has been exceeded.', { code: 500, type: 'server_error' })],
  [
    'llama.cpp: ds4',
    400,
    plain('Prompt tokens (9100) exceeds context size (8192)', {
      type: 'context_exceeded',
      n_prompt_tokens: 9100,
      n_ctx: 8192,
    }),
    8192,
    9100,
  ],
  [
    'LM Studio: n_keep',
    400,
    plain('Cannot truncate prompt with n_keep (15857) >= n_ctx (4096)'),
    4096,
    15857,
  ],
  [
    'LM Studio: keep the first',
    400,
    {
      error:
        'Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
    },
    2048,
    14538,
  ],
  [
    'LM Studio: keep the first, 200',
    200,
    {
      error:
        'Trying to keep the first 6547 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
    },
    4096,
    6547,
  ],
  [
    'LM Studio: greater than',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    },
  ],
  [
    'LM Studio: reached',
    400,
    {
      error:
        'Reached context length of 4096 tokens with model (arch: llama) that does not currently support mid-generation context overflow. Try reloading with a larger context length or shortening the prompt/chat.',
    },
    4096,
  ],
  [
    'Ollama: prompt',
    400,
    plain('prompt too long; exceeded max context length by 15935 tokens (ref: 4f1c8f5e-91f0-4d1f-8f4a)', {
      type: 'invalid_request_error',
      param: null,
      code: null,
    }),
  ],
  ['Ollama: prompt, 500', 500, { error: 'prompt too long; exceeded max context length' }],
  ['Ollama: input length', 400, { error: 'input length exceeds maximum context length' }],
  ['Ollama: the input length', 500, { error: 'the input length exceeds the context length' }],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message:
        'Prompt contains 300000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
      type: 'invalid_request_prompt',
      param: null,
      code: '3051',
      raw_status_code: 400,
    },
    131072,
    300000,
  ],
  ['Groq', 400, openai('Please reduce the length of the messages or completion.', { param: 'messages' })],
  [
    'Groq: without a code',
    413,
    plain('Please reduce the length of the messages or completion.', { type: 'invalid_request_error' }),
  ],
  [
    'Cerebras',
    400,
    openai(
      'Please reduce the length of the messages or completion. Current length is 9021 while limit is 8192',
      {
        param: 'messages',
      },
    ),
    8192,
    9021,
  ],
  [
    'Google',
    400,
    plain('The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).', {
      code: 400,
      status: 'INVALID_ARGUMENT',
    }),
    1048576,
    1196265,
  ],
  [
    'Google: a list',
    400,
    [
      plain('The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).', {
        code: 400,
        status: 'INVALID_ARGUMENT',
      }),
    ],
    1048575,
    1200000,
  ],
  [
    'Vertex',
    400,
    plain(
      'Unable to submit request because the input token count is 3601938 but model only supports up to 1000000. Reduce the input token count and try again. You can also use the CountTokens API to calculate prompt token count and billable characters. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/learn/models',
      { code: 400, status: 'INVALID_ARGUMENT' },
    ),
    1000000,
    3601938,
  ],
  ['Bedrock: input', 400, { message: 'Input is too long for requested model.' }],
  [
    'Bedrock: input, through another',
    400,
    plain(
      'An error occurred (ValidationException) when calling the Converse operation: The model returned the following errors: Input is too long for requested model.',
      { type: 'ValidationException' },
    ),
  ],
  [
    'Bedrock: input tokens',
    400,
    {
      __type: 'ValidationException',
      message:
        '400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9279 ',
    },
    8192,
    9279,
  ],
  [
    'Bedrock: Nova',
    400,
    {
      message:
        'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    },
  ],
  [
    'OpenRouter',
    400,
    plain(
      'This endpoint\'s maximum context length is 32768 tokens. However, you requested about 41123 tokens (39099 of text input, 2024 of tool input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
      { code: 400, metadata: { provider_name: null } },
    ),
    32768,
    39099,
  ],
  [
    "OpenRouter: the provider's body as text",
    400,
    openrouter(JSON.stringify(anthropic('prompt is too long: 207601 tokens > 200000 maximum')), 'Anthropic'),
    200000,
    207601,
  ],
  [
    "OpenRouter: the provider's body within a body",
    400,
    openrouter(
      JSON.stringify({
        error: JSON.stringify(
          openai(
            "This model's maximum context length is 131072 tokens. However, your messages resulted in 140000 tokens.",
          ),
        ),
      }),
      'DeepInfra',
    ),
    131072,
    140000,
  ],
  [
    "OpenRouter: the provider's body",
    400,
    openrouter(plain('prompt token count of 130431 exceeds the limit of 128000'), 'GitHub'),
    128000,
    130431,
  ],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    131072,
    537812,
  ],
  [
    'Together',
    400,
    plain(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 7700 `inputs` tokens and 512 `max_new_tokens`',
      { type: 'invalid_request_error', param: null, code: null },
    ),
    8193,
    7700,
  ],
  [
    'Together: longer than',
    422,
    plain("The input (516368 tokens) is longer than the model's context length (262144 tokens).", {
      type: 'invalid_request_error',
      param: null,
      code: null,
    }),
    262144,
    516368,
  ],
  [
    'SGLang: longer than',
    400,
    vllm("The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    4096,
    5000,
  ],
  [
    'SGLang: requested token count',
    400,
    vllm(
      "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5024 tokens: 4000 tokens from the input messages and 1024 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
    ),
    4096,
    4000,
  ],
  [
    'TGI: inputs and new tokens',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
      error_type: 'validation',
    },
    4096,
    5000,
  ],
  [
    'TGI: inputs',
    422,
    {
      error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 2021',
      error_type: 'validation',
    },
    1024,
    2021,
  ],
  [
    'Copilot',
    400,
    plain('prompt token count of 168929 exceeds the limit of 168000', {
      code: 'model_max_prompt_tokens_exceeded',
    }),
    168000,
    168929,
  ],
  [
    'GitHub Models',
    413,
    plain('Request body too large for gpt-4o model. Max size: 8000 tokens.', {
      code: 'tokens_limit_reached',
      details: 'Request body too large for gpt-4o model. Max size: 8000 tokens.',
    }),
    8000,
  ],
  [
    'Moonshot',
    400,
    plain('Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)', {
      type: 'invalid_request_error',
    }),
    262144,
    291351,
  ],
  [
    'Moonshot: input token length',
    400,
    plain('Input token length too long', { type: 'invalid_request_error' }),
  ],
  [
    'MiniMax',
    200,
    { base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit (2013)' } },
  ],
  [
    'MiniMax: messages',
    400,
    anthropic('invalid params, context window exceeds limit (2013)', 'bad_request_error'),
  ],
  [
    'Fireworks',
    400,
    plain('The prompt is too long: 221782, model maximum context length: 202752', {
      object: 'error',
      type: 'invalid_request_error',
      code: 'invalid_request_error',
    }),
    202752,
    221782,
  ],
  [
    'DashScope',
    400,
    plain('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]', {
      type: 'invalid_request_error',
      code: 'invalid_parameter_error',
    }),
    129024,
  ],
  ['Zhipu', 400, plain('Prompt exceeds max length', { code: '1261' })],
  [
    'Cohere',
    400,
    {
      id: '5e4a8a1c',
      message: 'too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs.',
    },
  ],
  [
    'watsonx',
    400,
    plain('the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model', {
      code: 'invalid_input_argument',
    }),
  ],
  [
    'DeepInfra: input length',
    400,
    plain('This request has 131393 tokens, which exceeds the maximum allowed input length of 131040 tokens.'),
    131040,
    131393,
  ],
  [
    'LiteLLM',
    400,
    plain(
      'litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209353 tokens > 199999 maximum"}}. Received Model Group=claude-sonnet-4-20250514',
      { type: null, param: null, code: '400' },
    ),
    199999,
    209353,
  ],
  [
    'A gateway in Python',
    500,
    {
      detail:
        "Error code: 400 - {'error': {'code': 400, 'message': 'request (25837 tokens) exceeds the available context size (25088 tokens), try increasing it', 'type': 'exceed_context_size_error', 'n_prompt_tokens': 25837, 'n_ctx': 25088}}",
    },
    25088,
    25837,
  ],
  [
    'A gateway in Go',
    400,
    '{"error":{"message":"upstream: {\\"type\\":\\"error\\",\\"error\\":{\\"message\\":\\"input length and `max_tokens` exceed context limit: 190402 + 16650 \\\\u003e 204648, decrease input length\\"}}"}}',
    204648,
    190402,
  ],
  [
    'A gateway: the message at the top level',
    400,
    { message: 'prompt is too long: 207601 tokens > 200000 maximum', type: 'invalid_request_error' },
    200000,
    207601,
  ],
  [
    'A gateway: the message at the top level, with another type',
    400,
    {
      message: 'request (8708 tokens) exceeds the available context size (8192 tokens), try increasing it',
      type: 'exceed_context_size',
      code: 400,
    },
    8192,
    8708,
  ],
  ['Plain text', 400, 'prompt is too long: 207,601 tokens > 200,000 maximum', 200000, 207601],
  [
    'Capitals',
    413,
    plain(
      "THIS MODEL'S MAXIMUM CONTEXT LENGTH IS 8,192 TOKENS. HOWEVER, YOUR MESSAGES RESULTED IN 1,009,321 TOKENS.",
    ),
    8192,
    1009321,
  ],
]
