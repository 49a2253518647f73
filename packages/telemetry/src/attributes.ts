// Names from the OpenTelemetry conventions for generative AI (development status), as of 2026-11: commit
// 024a4f944a1291fcb627c9c47da69e79868dd15e of open-telemetry/semantic-conventions-genai. Names that start with
// `capstan.` are not in the conventions.

/** The operations that spans represent. */
export const operations = { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' } as const

export const attributeNames = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  error: 'error.type',

  agent: 'gen_ai.agent.name',

  requestModel: 'gen_ai.request.model',
  stream: 'gen_ai.request.stream',
  outputType: 'gen_ai.output.type',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  // The name that was used until the conventions changed in 2026. Many backends support only this one.
  cacheCreationTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',

  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  callId: 'gen_ai.tool.call.id',

  // Content. It is recorded only if the `content` option enables it.
  instructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolDefinitions: 'gen_ai.tool.definitions',
  callArguments: 'gen_ai.tool.call.arguments',
  callResult: 'gen_ai.tool.call.result',

  // Capstan's own names.
  runId: 'capstan.run.id',
  stopReason: 'capstan.stop_reason',
  callStatus: 'capstan.call.status',
  background: 'capstan.call.background',
  aborted: 'capstan.aborted',
  estimatedTokens: 'capstan.usage.estimated_tokens',
  middleware: 'capstan.middleware.name',
  programSource: 'capstan.program.source',
  textCallForm: 'capstan.text_call.form',
  textCallTools: 'capstan.text_call.tools',
  textCallRecovered: 'capstan.text_call.recovered',
} as const

/** Attribute names for request settings, by their field in the request body. */
export const requestFields = {
  temperature: 'gen_ai.request.temperature',
  top_p: 'gen_ai.request.top_p',
  top_k: 'gen_ai.request.top_k',
  max_tokens: 'gen_ai.request.max_tokens',
  max_completion_tokens: 'gen_ai.request.max_tokens',
  frequency_penalty: 'gen_ai.request.frequency_penalty',
  presence_penalty: 'gen_ai.request.presence_penalty',
  seed: 'gen_ai.request.seed',
  n: 'gen_ai.request.choice.count',
  reasoning_effort: 'gen_ai.request.reasoning.level',
} as const

export const metricNames = {
  chatDuration: 'gen_ai.client.inference.duration',
  timeToFirstChunk: 'gen_ai.client.inference.time_to_first_chunk',
  inputTokens: 'gen_ai.client.inference.operation.input_tokens',
  outputTokens: 'gen_ai.client.inference.operation.output_tokens',
  agentDuration: 'gen_ai.invoke_agent.duration',
  toolDuration: 'gen_ai.execute_tool.duration',
} as const

/** Names of span events that the conventions do not define. */
export const eventNames = {
  retry: 'capstan.retry',
  repair: 'capstan.repair',
  limit: 'capstan.limit_reached',
  tainted: 'capstan.tainted',
  stuck: 'capstan.stuck',
  toolsRevealed: 'capstan.tools_revealed',
  pending: 'capstan.call_pending',
  handedOff: 'capstan.handed_off',
  delivered: 'capstan.message_delivered',
  trimmed: 'capstan.context_trimmed',
  effectsLeftBehind: 'capstan.effects_left_behind',
  prefixBroken: 'capstan.prefix_broken',
  contextOver: 'capstan.context_over',
  contextLost: 'capstan.context_lost',
  finalAnswerFailed: 'capstan.final_answer_failed',
  middleware: 'capstan.middleware',
  artifact: 'capstan.artifact',
} as const
