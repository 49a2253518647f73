// Bodies of refusals for another reason, in words that are alike.

import type { ErrorCode } from '@capstan/core'

/** What is refused, the status, the whole body, and the code. */
export type Control = readonly [what: string, status: number, body: unknown, code: ErrorCode]

const plain = (message: string, fields: object = {}) => ({ error: { message, ...fields } })
const invalid = (message: string, fields: object = {}) =>
  plain(message, { type: 'invalid_request_error', param: null, code: null, ...fields })
const anthropic = (message: string, type = 'invalid_request_error') => ({
  type: 'error',
  error: { type, message },
})

export const controls: readonly Control[] = [
  [
    'Groq: tokens per minute',
    413,
    plain(
      'Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8123, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    'rate_limit',
  ],
  [
    'tokens per minute, without a code',
    413,
    plain(
      'Request too large for model `llama-3.3-70b-versatile` on tokens per minute (TPM): Limit 6000, Requested 8123. Please reduce the length of the messages.',
    ),
    'invalid_request',
  ],
  [
    'OpenAI: tokens per minute',
    429,
    plain(
      'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 41234. The input or output tokens must be reduced in order to run successfully.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    'rate_limit',
  ],
  [
    'Anthropic: input tokens per minute',
    429,
    anthropic(
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      'rate_limit_error',
    ),
    'rate_limit',
  ],
  [
    'Anthropic: input tokens a day',
    400,
    anthropic('Number of input tokens has exceeded your daily rate limit.'),
    'invalid_request',
  ],
  [
    'Bedrock: too many tokens',
    429,
    { __type: 'ThrottlingException', message: 'Too many tokens, please wait before trying again.' },
    'rate_limit',
  ],
  [
    'Bedrock: too many tokens, without a type',
    400,
    { message: 'Too many tokens, please wait before trying again.' },
    'invalid_request',
  ],
  [
    'Bedrock: tokens a day',
    400,
    { message: 'Too many tokens per day, please wait before trying again.' },
    'invalid_request',
  ],
  [
    'Google: quota of input tokens',
    429,
    plain(
      'You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 250000',
      { code: 429, status: 'RESOURCE_EXHAUSTED' },
    ),
    'rate_limit',
  ],
  [
    'a quota, with status 400',
    400,
    plain('Quota exceeded: the prompt tokens of this month exceed the limit of your plan.'),
    'invalid_request',
  ],
  [
    'OpenAI: max_tokens',
    400,
    invalid(
      'max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.',
      { param: 'max_tokens', code: 'invalid_value' },
    ),
    'invalid_request',
  ],
  [
    'Anthropic: max_tokens',
    400,
    anthropic(
      'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514',
    ),
    'invalid_request',
  ],
  [
    'vLLM: max_tokens',
    400,
    plain(
      "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 20 input tokens (5000 > 4096 - 20).",
      { type: 'BadRequestError', param: 'max_tokens', code: 400 },
    ),
    'invalid_request',
  ],
  [
    'vLLM: max_tokens beyond the window, and the prompt too',
    400,
    plain(
      "'max_tokens' or 'max_completion_tokens' is too large: 30000. This model's maximum context length is 20000 tokens and your request has 21000 input tokens (30000 > 20000 - 21000).",
      { type: 'BadRequestError', param: 'max_tokens', code: 400 },
    ),
    'invalid_request',
  ],
  [
    'max_tokens beyond the longest reply, within the window',
    400,
    invalid(
      'max_tokens is too large: 20000. This model has a maximum context length of 131072 tokens and supports at most 16384 completion tokens; your request has 20 input tokens.',
      { param: 'max_tokens' },
    ),
    'invalid_request',
  ],
  [
    'max_tokens beyond the window',
    400,
    invalid("max_tokens (200000) exceeds the model's context length (131072)."),
    'invalid_request',
  ],
  [
    'Groq: max_tokens',
    400,
    invalid(
      '`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      { param: 'max_tokens' },
    ),
    'invalid_request',
  ],
  [
    'Bedrock: the maximum tokens',
    400,
    {
      message:
        'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
    },
    'invalid_request',
  ],
  [
    'Vertex: maxOutputTokens',
    400,
    plain(
      'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.',
      { code: 400, status: 'INVALID_ARGUMENT' },
    ),
    'invalid_request',
  ],
  [
    'DeepSeek: max_tokens',
    400,
    invalid('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'),
    'invalid_request',
  ],
  [
    'a field named context',
    400,
    invalid('Unrecognized request argument supplied: context', { param: 'context' }),
    'invalid_request',
  ],
  [
    'a field named context_length',
    400,
    invalid('context_length: Extra inputs are not permitted', { param: 'context_length' }),
    'invalid_request',
  ],
  [
    'a field named length',
    400,
    invalid("Invalid type for 'length': expected an integer, but got a string instead.", { param: 'length' }),
    'invalid_request',
  ],
  [
    'a field named context_window',
    422,
    {
      detail: [
        {
          type: 'less_than_equal',
          loc: ['body', 'context_window'],
          msg: 'Input should be less than or equal to 131072',
        },
      ],
    },
    'invalid_request',
  ],
  [
    'a long content',
    400,
    invalid(
      "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1200000 instead.",
      { param: 'messages[1].content', code: 'string_above_max_length' },
    ),
    'invalid_request',
  ],
  [
    'a long input',
    400,
    invalid(
      "Invalid 'input': string too long. Expected a string with maximum length 10485760, but got a string with length 12582912 instead.",
      { param: 'input', code: 'string_above_max_length' },
    ),
    'invalid_request',
  ],
  [
    'a long key',
    400,
    invalid(
      "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.",
      { param: 'prompt_cache_key', code: 'string_above_max_length' },
    ),
    'invalid_request',
  ],
  [
    'a long name of a tool',
    400,
    anthropic('tools.0.custom.name: String should have at most 128 characters'),
    'invalid_request',
  ],
  [
    'too many tools',
    400,
    invalid(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead.",
      { param: 'tools', code: 'array_above_max_length' },
    ),
    'invalid_request',
  ],
  [
    'a prompt of an image in characters',
    400,
    invalid('The prompt is too long. The maximum prompt length is 4,000 characters.', { param: 'prompt' }),
    'invalid_request',
  ],
  [
    'Anthropic: a large image',
    400,
    anthropic(
      'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
    ),
    'invalid_request',
  ],
  [
    'Anthropic: an image with many pixels',
    400,
    anthropic(
      'messages.3.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    ),
    'invalid_request',
  ],
  [
    'many pages of a PDF',
    400,
    anthropic('messages.0.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.'),
    'invalid_request',
  ],
  [
    'Google: many bytes',
    400,
    plain('Request payload size exceeds the limit: 20971520 bytes.', {
      code: 400,
      status: 'INVALID_ARGUMENT',
    }),
    'invalid_request',
  ],
  [
    'Anthropic: many bytes',
    413,
    anthropic('Request exceeds the maximum size', 'request_too_large'),
    'invalid_request',
  ],
  [
    'nginx: many bytes',
    413,
    '<html><head><title>413 Request Entity Too Large</title></head><body><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx</center></body></html>',
    'invalid_request',
  ],
  [
    'a prompt that was flagged',
    400,
    invalid('Invalid prompt: your prompt was flagged as potentially violating our usage policy.', {
      code: 'invalid_prompt',
    }),
    'invalid_request',
  ],
  [
    'what a validator quotes of the request',
    422,
    {
      detail: [
        {
          type: 'missing',
          loc: ['body', 'model'],
          msg: 'Field required',
          input: {
            messages: [
              { role: 'user', content: 'What is "prompt is too long: 207601 tokens > 200000 maximum"?' },
            ],
          },
        },
      ],
    },
    'invalid_request',
  ],
  [
    'what a validator quotes in its message',
    400,
    invalid(
      "[{'type': 'missing', 'loc': ('body', 'tools', 0), 'msg': 'Field required', 'input': {'role': 'user', 'content': 'context_length_exceeded: the maximum context length is 4096'}}]",
    ),
    'invalid_request',
  ],
  [
    'what a moderation quotes',
    403,
    plain('Your input was flagged', {
      code: 403,
      metadata: {
        reasons: ['harassment'],
        flagged_input: 'The prompt is too long: 207601 tokens > 200000 maximum',
      },
    }),
    'auth',
  ],
  [
    'many images of a prompt',
    400,
    invalid('The prompt has too many images: 30 > 20.', { param: 'messages' }),
    'invalid_request',
  ],
  [
    'images above a limit',
    400,
    invalid('The number of images in the prompt exceeds the limit of 10.', { param: 'messages' }),
    'invalid_request',
  ],
  [
    'many images above a limit',
    400,
    invalid('The prompt contains 30 images, exceeding the limit of 20.'),
    'invalid_request',
  ],
  [
    'many stop sequences',
    400,
    invalid('There are too many stop sequences in the prompt.', { param: 'stop' }),
    'invalid_request',
  ],
  ['many messages', 400, invalid('The prompt contains too many messages: 3000 > 2048.'), 'invalid_request'],
  ['a timeout', 500, plain('Prompt processing timeout reached'), 'api'],
  ['a timeout in other words', 500, plain('Prompt processing timed out: the limit was exceeded'), 'api'],
  ['a full cache', 500, plain('Prompt cache size exceeded'), 'api'],
  ['a sick server', 500, plain('The server had an error while processing your request.'), 'api'],
  ['an overloaded server', 529, anthropic('Overloaded', 'overloaded_error'), 'api'],
  [
    'MiniMax: other parameters',
    200,
    { base_resp: { status_code: 2013, status_msg: 'invalid params, tool call id is invalid (2013)' } },
    'api',
  ],
  [
    'a model that does not exist',
    404,
    invalid('The model `long-context-length-32k` does not exist.', { code: 'model_not_found' }),
    'not_found',
  ],
]
