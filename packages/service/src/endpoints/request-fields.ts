import type { FieldType, Shape } from '../http/check-fields.js'

// The fields of each endpoint, with the types that the official clients have. The endpoints themselves check the fields
// that they use. All other fields are checked here, and have no effect.

const checked = { type: 'checked' } as const
const file = { type: 'file' } as const
const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const object = { type: 'object' } as const
const texts = { type: 'array', of: 'string' } as const

function oneOf(...values: string[]): FieldType {
  return { type: 'string', values }
}

function within(least: number, most: number): FieldType {
  return { type: 'number', least, most }
}

const functionFields: Shape = { name: checked, description: checked, parameters: checked, strict: checked }
const calledFields: Shape = { name: checked, arguments: checked }
const callFields: Shape = {
  index: { type: 'integer' },
  id: checked,
  type: checked,
  function: { type: 'checked', fields: calledFields },
}

// Clients send replies back unchanged.
const messageFields: Shape = {
  role: checked,
  content: checked,
  name: text,
  refusal: text,
  tool_calls: { type: 'checked', fields: callFields },
  tool_call_id: checked,
  function_call: { type: 'checked', fields: calledFields },
  audio: object,
  annotations: checked,
}

/** The fields of `/v1/chat/completions`. */
export const chatFields: Shape = {
  model: checked,
  messages: { type: 'checked', fields: messageFields },
  tools: {
    type: 'checked',
    fields: { type: checked, function: { type: 'checked', fields: functionFields } },
  },
  functions: { type: 'checked', fields: functionFields },
  tool_choice: checked,
  function_call: checked,
  parallel_tool_calls: checked,
  response_format: { type: 'checked', fields: { type: checked, json_schema: checked } },
  stream: checked,
  stream_options: { type: 'checked', fields: { include_usage: checked, include_obfuscation: flag } },
  max_tokens: checked,
  max_completion_tokens: checked,
  stop: checked,
  n: checked,
  modalities: checked,
  audio: object,
  frequency_penalty: within(-2, 2),
  logit_bias: { type: 'object', valuesOf: 'number' },
  logprobs: flag,
  metadata: { type: 'object', valuesOf: 'string' },
  moderation: object,
  prediction: object,
  presence_penalty: within(-2, 2),
  prompt_cache_key: text,
  prompt_cache_options: object,
  prompt_cache_retention: oneOf('in_memory', 'in-memory', '24h'),
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  safety_identifier: text,
  seed: { type: 'integer' },
  service_tier: oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  store: flag,
  temperature: within(0, 2),
  top_logprobs: { type: 'integer', least: 0, most: 20 },
  top_p: within(0, 1),
  user: text,
  verbosity: oneOf('low', 'medium', 'high'),
  web_search_options: object,
}

const inputItemFields: Shape = {
  type: checked,
  id: text,
  status: text,
  role: checked,
  content: checked,
  phase: text,
  call_id: checked,
  name: checked,
  namespace: text,
  caller: object,
  async: flag,
  arguments: checked,
  output: checked,
  summary: checked,
  encrypted_content: text,
}

/** The fields of `/v1/responses`. */
export const responsesFields: Shape = {
  model: checked,
  input: { type: 'checked', fields: inputItemFields },
  instructions: checked,
  tools: { type: 'checked', fields: { type: checked, ...functionFields } },
  tool_choice: checked,
  parallel_tool_calls: checked,
  text: {
    type: 'checked',
    fields: {
      format: {
        type: 'checked',
        fields: { type: checked, name: checked, description: checked, schema: checked, strict: checked },
      },
      verbosity: oneOf('low', 'medium', 'high'),
    },
  },
  max_output_tokens: checked,
  max_tool_calls: { type: 'integer', least: 1 },
  stream: checked,
  stream_options: { type: 'object', fields: { include_obfuscation: flag } },
  store: checked,
  previous_response_id: checked,
  conversation: checked,
  prompt: checked,
  background: checked,
  include: texts,
  metadata: { type: 'object', valuesOf: 'string' },
  moderation: object,
  prompt_cache_key: text,
  prompt_cache_options: object,
  prompt_cache_retention: oneOf('in_memory', 'in-memory', '24h'),
  reasoning: object,
  safety_identifier: text,
  service_tier: oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  temperature: within(0, 2),
  top_logprobs: { type: 'integer', least: 0, most: 20 },
  top_p: within(0, 1),
  truncation: oneOf('auto', 'disabled'),
  user: text,
}

/** The fields of `/v1/messages` and of `/v1/messages/count_tokens`. */
export const messagesFields: Shape = {
  model: checked,
  messages: { type: 'checked', fields: { role: checked, content: checked } },
  system: checked,
  max_tokens: checked,
  tools: {
    type: 'checked',
    fields: {
      type: checked,
      name: checked,
      description: checked,
      input_schema: checked,
      strict: checked,
      cache_control: object,
      eager_input_streaming: flag,
    },
  },
  tool_choice: {
    type: 'checked',
    fields: { type: checked, name: checked, disable_parallel_tool_use: checked },
  },
  output_config: {
    type: 'checked',
    fields: {
      effort: oneOf('low', 'medium', 'high', 'xhigh', 'max'),
      format: { type: 'checked', fields: { type: checked, schema: checked } },
    },
  },
  stop_sequences: checked,
  stream: checked,
  cache_control: object,
  container: checked,
  thread: checked,
  context_management: object,
  diagnostics: object,
  inference_geo: text,
  metadata: object,
  service_tier: oneOf('auto', 'standard_only'),
  speed: oneOf('standard', 'fast'),
  temperature: within(0, 1),
  thinking: object,
  top_k: { type: 'integer', least: 0 },
  top_p: within(0, 1),
}

const imageFields: Shape = {
  model: checked,
  n: checked,
  size: checked,
  response_format: checked,
  user: checked,
}

const paintingFields: Shape = {
  ...imageFields,
  prompt: checked,
  background: checked,
  output_format: checked,
  output_compression: checked,
  quality: checked,
  stream: checked,
  complexity: text,
  frame_count: { type: 'integer' },
  frame_duration_ms: { type: 'integer' },
  partial_images: { type: 'integer', least: 0, most: 3 },
  safety_identifier: text,
}

/** The fields of `/v1/images/generations`. */
export const generationFields: Shape = { ...paintingFields, style: checked, moderation: checked, svg: object }

/** The fields of `/v1/images/edits`, including files. */
export const editFields: Shape = {
  ...paintingFields,
  image: file,
  mask: file,
  markup: file,
  input_fidelity: checked,
}

/** The fields of `/v1/images/variations`. */
export const variationFields: Shape = {
  ...imageFields,
  image: file,
  output_format: checked,
  output_compression: checked,
  background: checked,
}

/** The fields of `/v1/audio/speech`. */
export const speechFields: Shape = {
  model: checked,
  input: checked,
  voice: checked,
  format: checked,
  response_format: checked,
  speed: checked,
  stream_format: checked,
  instructions: checked,
}

/** The fields of `/v1/audio/translations`. */
export const translationFields: Shape = {
  model: checked,
  file,
  language: checked,
  prompt: checked,
  response_format: checked,
  temperature: checked,
  timestamp_granularities: checked,
}

/** The fields of `/v1/audio/transcriptions`. */
export const transcriptionFields: Shape = {
  ...translationFields,
  stream: flag,
  chunking_strategy: checked,
  include: texts,
  keywords: texts,
  known_speaker_names: texts,
  known_speaker_references: texts,
  languages: texts,
}

/** The fields of `/v1/embeddings`. */
export const embeddingFields: Shape = {
  model: checked,
  input: checked,
  dimensions: checked,
  encoding_format: checked,
  user: text,
}
