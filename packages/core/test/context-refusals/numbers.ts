// Refusals of a prompt that is too long, beside numbers that are no tokens: statuses, codes, ids, times, sizes.

import type { Refusal } from './refusals.js'

const error = (message: string, fields: object = {}) => ({ error: { message, ...fields } })

export const besideNumbers: readonly Refusal[] = [
  ['a status in front', 400, error('400 Input is too long for requested model.')],
  ['another status in front', 413, error('HTTP 413 input tokens exceed the maximum context length')],
  ['a status in front of the prompt', 400, error('Error 429 in the messages: prompt is too long')],
  ['a status behind', 500, error('The prompt is too long (status 500).', { code: 500, status: 500 })],
  [
    'a window smaller than a status',
    400,
    error(
      "This model's maximum context length is 256 tokens. However, your messages resulted in 300 tokens.",
    ),
    256,
    300,
  ],
  [
    'a window smaller than a status, and no length of the prompt',
    413,
    error('Request body too large for the model. Max size: 256 tokens.', { code: 413, status: 413 }),
    256,
  ],
  [
    'a window smaller than a status, with status 500',
    500,
    error('exceeds the available context size', { code: 500, n_ctx: 384 }),
    384,
  ],
  [
    'a window smaller than a code',
    400,
    {
      code: 20015,
      error: { message: 'Reached context length of 4096 tokens with model' },
      request_id: 53211234,
    },
    4096,
  ],
  [
    'times and ids',
    400,
    {
      id: 917332211,
      created: 1732900123,
      request_id: '20250912145612331100',
      error: { message: 'Reached context length of 2048 tokens with model', code: '400', trace: 'a-99999-b' },
    },
    2048,
  ],
  [
    'an id within the text',
    400,
    error('Prompt exceeds the context size of 8192 tokens. (Request ID: 9876543) (trace id: 20251012)', {
      code: 1261,
    }),
    8192,
  ],
  [
    'an id in front of the numbers',
    400,
    {
      request_id: 73322119,
      status: 400,
      error: {
        message: 'Please shorten it.',
        code: 'context_length_exceeded',
        n_ctx: 4096,
        n_prompt_tokens: 5000,
      },
    },
    4096,
    5000,
  ],
  [
    'a wait in seconds',
    413,
    error('Prompt is too long for the context window. Retry after 429 seconds, error code 1039.'),
  ],
]
