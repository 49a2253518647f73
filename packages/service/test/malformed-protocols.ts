/** A field with a value that the service must reject by name. */
export type Field = readonly [name: string, value: unknown]

const user = { role: 'user', content: 'Hello' }
const schema = { type: 'object' }

const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
const tool = { type: 'function', name: 'f', parameters: schema }

/** Malformed fields of `/v1/responses`. */
export const responses = {
  path: '/v1/responses',
  good: { model: 'planner', input: 'Hello' },
  fields: [
    ...[null, '', 7, {}, [], [null], ['Hello'], [[]], [{}], [{ type: 'song' }]].map(
      (value): Field => ['input', value],
    ),
    ...[{ role: 'king', content: 'x' }, { role: 'user' }, { role: 'user', content: 7 }].map(
      (item): Field => ['input', [item]],
    ),
    ...[{ type: 'text', text: 'x' }, { type: 'input_text' }, 7].map(
      (part): Field => ['input', [{ role: 'user', content: [part] }]],
    ),
    ['input', [user, call]],
    ['input', [user, output]],
    ['input', [user, output, call]],
    ['input', [user, call, output, output]],
    ['input', [user, call, call, output, output]],
    ['input', [user, { ...call, call_id: 5 }, output]],
    ['input', [user, { ...call, name: '' }, output]],
    ['input', [user, { ...call, arguments: {} }, output]],
    ['input', [user, call, { ...output, output: undefined }]],
    ['input', [user, { type: 'item_reference', id: 'msg_of_nobody' }]],
    ['input', [user, { type: 'item_reference' }]],
    ...['f', 5, {}, [null], ['f'], [{}], [{ type: 'function' }], [tool, tool]].map(
      (value): Field => ['tools', value],
    ),
    ...['web_search', 'custom', 'mcp'].map((type): Field => ['tools', [{ ...tool, type }]]),
    ['tools', [{ ...tool, parameters: [] }]],
    ...['maybe', 'required', 5, {}, { type: 'function' }, { type: 'function', name: 'g' }].map(
      (value): Field => ['tool_choice', value],
    ),
    ['tool_choice', { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'g' }] }],
    ['text', 'json'],
    ...['json', { type: 'xml' }, { type: 'json_schema' }].map((format): Field => ['text', { format }]),
    ['text', { format: { type: 'json_schema', name: 'a b', schema } }],
    ...['yes', 1].flatMap((value): Field[] => [
      ['stream', value],
      ['store', value],
      ['parallel_tool_calls', value],
      ['background', value],
    ]),
    ['background', true],
    ['previous_response_id', 'resp_1'],
    ['conversation', 'conv_1'],
    ['prompt', { id: 'pmpt_1' }],
    ['instructions', 7],
    ...[0, 1.5, '8'].map((value): Field => ['max_output_tokens', value]),
    ['metadata', 'a'],
    ['reasoning', 'high'],
    ['temperature', 'warm'],
    ['truncation', true],
    ['include', 'everything'],
  ] satisfies Field[],
}

const use = { type: 'tool_use', id: 'a', name: 'f', input: {} }
const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' }
const asks = { role: 'assistant', content: [use] }
const own = { name: 'f', input_schema: schema }

/** Malformed fields of `/v1/messages`. */
export const messages = {
  path: '/v1/messages',
  good: { model: 'planner', max_tokens: 100, messages: [user] },
  fields: [
    ...[null, 'Hello', 7, {}, [], [null], ['Hello'], [{}], [{ role: 'tool', content: 'x' }]].map(
      (value): Field => ['messages', value],
    ),
    ...[undefined, 7, {}, [7], [{ type: 'text' }], [{ type: 'sound' }], [use]].map(
      (content): Field => ['messages', [{ role: 'user', content }]],
    ),
    ['messages', [user, asks]],
    ['messages', [user, asks, user]],
    ['messages', [{ role: 'user', content: [result] }]],
    ['messages', [user, asks, { role: 'user', content: [{ ...result, tool_use_id: 'b' }] }]],
    ['messages', [user, asks, { role: 'user', content: [result, result] }]],
    ['messages', [user, asks, { role: 'user', content: [{ type: 'text', text: 'x' }, result] }]],
    ['messages', [user, asks, { role: 'user', content: [{ ...result, tool_use_id: 5 }] }]],
    ['messages', [user, { role: 'assistant', content: [use, use] }, { role: 'user', content: [result] }]],
    ['messages', [user, { role: 'assistant', content: [{ ...use, input: '{}' }] }]],
    ['messages', [user, { role: 'assistant', content: [{ ...use, id: '' }] }]],
    ['messages', [user, { role: 'assistant', content: [{ ...use, name: 5 }] }]],
    ...[null, 0, 1.5, '8'].map((value): Field => ['max_tokens', value]),
    ...[7, {}, [7]].map((value): Field => ['system', value]),
    ...['f', 5, {}, [null], ['f'], [{}], [own, own], [{ name: 'f', input_schema: [] }]].map(
      (value): Field => ['tools', value],
    ),
    ['tools', [{ type: 'web_search_20250305', name: 'web_search' }]],
    ...['auto', 5, {}, { type: 'any' }, { type: 'tool' }, { type: 'tool', name: 'g' }].map(
      (value): Field => ['tool_choice', value],
    ),
    ['tool_choice', { type: 'auto', disable_parallel_tool_use: 'yes' }],
    ['output_config', 'json'],
    ['output_config', { format: { type: 'xml' } }],
    ['output_config', { format: { type: 'json_schema' } }],
    ...[5, [''], [5]].map((value): Field => ['stop_sequences', value]),
    ['stream', 'yes'],
    ['temperature', 'warm'],
    ['thinking', 'much'],
  ] satisfies Field[],
}
