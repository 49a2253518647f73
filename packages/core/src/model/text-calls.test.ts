import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../types/message.js'
import { readTextCalls, TextCallScanner } from './text-calls.js'

function toolOf(name: string, properties: Record<string, unknown>, required: string[] = []): ToolDefinition {
  return {
    type: 'function',
    function: { name, description: '', parameters: { type: 'object', properties, required } },
  }
}

const tools = [
  toolOf('get_weather', { city: { type: 'string' }, days: { type: 'integer' } }, ['city']),
  toolOf('save', {
    text: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    flag: { type: 'boolean' },
    note: { type: ['string', 'null'] },
    point: { type: 'object', properties: { x: { type: 'number' } } },
  }),
  toolOf('now', {}),
]

const paris = { city: 'Paris' }
const json = JSON.stringify(paris)

/** Each way to write one call, with the place that shows it. */
const oneCall: readonly (readonly [source: string, form: string, text: string])[] = [
  [
    'vllm hermes_tool_parser.py',
    'hermes',
    `<tool_call>\n{"name": "get_weather", "arguments": ${json}}\n</tool_call>`,
  ],
  [
    'vllm hermes_tool_parser.py, without the end',
    'hermes',
    `<tool_call>\n{"name": "get_weather", "arguments": ${json}}`,
  ],
  [
    'NousResearch Hermes-2-Pro template, arguments first',
    'hermes',
    `<tool_call>{"arguments": ${json}, "name": "get_weather"}</tool_call><|im_end|>`,
  ],
  [
    'vllm granite_20b_fc_tool_parser.py',
    'hermes',
    `<function_call> {"name": "get_weather", "arguments": ${json}}`,
  ],
  [
    'vllm qwen3coder_tool_parser.py',
    'qwen-coder',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'llama.cpp tests/test-chat.cpp, Qwen3-Coder without the outer tag',
    'qwen-coder',
    '<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'vllm seed_oss_tool_parser.py',
    'seed',
    '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>',
  ],
  [
    'vllm mistral_tool_parser.py, before v11',
    'mistral',
    `[TOOL_CALLS] [{"name": "get_weather", "arguments": ${json}}]</s>`,
  ],
  ['vllm mistral_tool_parser.py, v11', 'mistral', `[TOOL_CALLS]get_weather${json}`],
  ['mistral-common, v13', 'mistral', `[TOOL_CALLS]get_weather[ARGS]${json}`],
  ['mistral-common, v11 with ids', 'mistral', `[TOOL_CALLS]get_weather[CALL_ID]123456789[ARGS]${json}`],
  [
    'vllm llama_tool_parser.py',
    'llama',
    `<|python_tag|>{"name": "get_weather", "parameters": ${json}}<|eom_id|>`,
  ],
  ['Llama 3.1 prompt format', 'llama', `<function=get_weather>${json}</function>`],
  ['vllm pythonic_tool_parser.py', 'pythonic', `[get_weather(city='Paris')]`],
  [
    'vllm llama4_pythonic_tool_parser.py',
    'pythonic',
    `<|python_start|>[get_weather(city="Paris")]<|python_end|><|eot|>`,
  ],
  ['vllm lfm2_tool_parser.py', 'lfm', `<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>`],
  [
    'vllm deepseekv3_tool_parser.py',
    'deepseek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
  ],
  [
    'vllm deepseekv31_tool_parser.py',
    'deepseek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    'vllm deepseekv32_tool_parser.py',
    'dsml',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  [
    'sglang gpt_oss_detector.py',
    'harmony',
    `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${json}<|call|>`,
  ],
  [
    'llama.cpp tests/test-chat.cpp, gpt-oss',
    'harmony',
    `<|start|>assistant<|channel|>analysis to=functions.get_weather code<|message|>${json}`,
  ],
  [
    'llama.cpp tests/test-chat.cpp, gpt-oss, recipient in the role',
    'harmony',
    `<|start|>assistant to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>${json}<|call|>`,
  ],
  [
    'llama.cpp chat-parser.cpp, Command R7B',
    'command-r',
    `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${json}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>`,
  ],
  [
    'vllm glm4_moe_tool_parser.py',
    'glm',
    '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call><|observation|>',
  ],
  [
    'vllm kimi_k2_tool_parser.py',
    'kimi',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  [
    'vllm granite_tool_parser.py, 3.0',
    'granite',
    `<|tool_call|>[{"name": "get_weather", "arguments": ${json}}]<|end_of_text|>`,
  ],
  [
    'vllm granite_tool_parser.py, 3.1',
    'granite',
    `<tool_call>[{"name": "get_weather", "arguments": ${json}}]`,
  ],
  [
    'vllm minimax_m2_tool_parser.py',
    'minimax',
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>[e~[',
  ],
  ['vllm phi4mini_tool_parser.py', 'phi', `functools[{"name": "get_weather", "arguments": ${json}}]`],
  [
    'vllm jamba_tool_parser.py',
    'jamba',
    `<tool_calls>[{"name": "get_weather", "arguments": ${json}}]</tool_calls>`,
  ],
  [
    'llama.cpp chat-parser.cpp, Nemotron v2',
    'nemotron',
    `<TOOLCALL>[{"name": "get_weather", "arguments": ${json}}]</TOOLCALL>`,
  ],
  ['vllm llama_tool_parser.py, without the tag', 'json', `{"name": "get_weather", "parameters": ${json}}`],
  [
    'llama.cpp chat-parser.cpp, Llama 3.1',
    'json',
    `{"type": "function", "name": "get_weather", "parameters": ${json}}`,
  ],
  [
    'the interface',
    'json',
    `{"type": "function", "id": "c1", "function": {"name": "get_weather", "arguments": ${JSON.stringify(json)}}}`,
  ],
  ['vllm xlam_tool_parser.py', 'json', `[{"name": "get_weather", "arguments": ${json}}]`],
  [
    'vllm xlam_tool_parser.py, fenced',
    'json',
    `\`\`\`json\n[{"name": "get_weather", "arguments": ${json}}]\n\`\`\``,
  ],
  [
    'llama.cpp chat-parser.cpp, Hermes 2 Pro, fenced',
    'json',
    `\`\`\`\n{"name": "get_weather", "arguments": ${json}}\n\`\`\``,
  ],
  [
    'llama.cpp chat-parser.cpp, generic',
    'json',
    `{"tool_call": {"name": "get_weather", "arguments": ${json}}}`,
  ],
  [
    'llama.cpp chat-parser.cpp, generic',
    'json',
    `{"tool_calls": [{"name": "get_weather", "arguments": ${json}, "id": "a"}]}`,
  ],
]

describe.each(oneCall)('%s: %s', (_, form, text) => {
  it('is read', () => {
    const found = readTextCalls(text, tools)
    expect(found?.form).toBe(form)
    expect(found?.calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['get_weather', paris],
    ])
  })

  it('is never called text, wherever it is cut', () => {
    for (let cut = 0; cut <= text.length; cut++) {
      const scanner = new TextCallScanner(tools)
      expect(scanner.add(text.slice(0, cut))).not.toBe('text')
      expect(scanner.add(text.slice(cut))).toBe('call')
    }
    const byCharacter = new TextCallScanner(tools)
    const states = [...text].map((sign) => byCharacter.add(sign))
    expect(states).not.toContain('text')
    expect(states.at(-1)).toBe('call')
    // What has been said to be a call stays one.
    expect(states.lastIndexOf('open')).toBeLessThan(states.indexOf('call'))
  })

  it('is text with words beside it, and for other tools', () => {
    expect(readTextCalls(`Like this: ${text}`, tools)).toBeUndefined()
    expect(readTextCalls(`${text} That was it.`, tools)).toBeUndefined()
    expect(readTextCalls(`${text}\n\n\`\`\``, tools)).toBeUndefined()
    expect(readTextCalls(text, tools.slice(1))).toBeUndefined()
    expect(readTextCalls(text.replace('city', 'town'), tools)).toBeUndefined()
  })

  it('is read behind reasoning and white space', () => {
    for (const front of [
      '<think>I need the weather.</think>\n\n',
      ' \r\n',
      '<think>\n\n</think>\n<think>a</think>',
    ])
      expect(readTextCalls(`${front}${text}\n`, tools)?.calls).toHaveLength(1)
  })
})
