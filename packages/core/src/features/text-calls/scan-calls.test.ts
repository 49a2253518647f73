import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../scripts/cases.mjs'
import type { ToolDefinition } from '../../types/message.js'
import { MarkupScanner, readTextCalls } from './scan-calls.js'

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

/** Each way to write one call, with the source that documents it. */
const oneCall: readonly (readonly [source: string, form: string, text: string])[] = [
  ...['tool_calls_begin', 'tool calls begin', 'tool\\_calls\\_begin', 'tool▁calls'].map(
    (begin) =>
      [
        `ggml-org/llama.cpp, common/chat-parser.cpp, DeepSeek R1: ${begin}`,
        'deepseek',
        `<｜${begin}｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      ] as const,
  ),
  [
    'meta-llama/llama-models, chat template of Llama 3.1: built-in tools',
    'llama',
    '<|python_tag|>get_weather.call(city="Paris")<|eom_id|>',
  ],
  [
    'vllm-project/vllm, hermes_tool_parser.py',
    'hermes',
    `<tool_call>\n{"name": "get_weather", "arguments": ${json}}\n</tool_call>`,
  ],
  [
    'vllm-project/vllm, hermes_tool_parser.py, without the end',
    'hermes',
    `<tool_call>\n{"name": "get_weather", "arguments": ${json}}`,
  ],
  [
    'NousResearch/Hermes-Function-Calling, arguments first',
    'hermes',
    `<tool_call>{"arguments": ${json}, "name": "get_weather"}</tool_call><|im_end|>`,
  ],
  [
    'vllm-project/vllm, granite_20b_fc_tool_parser.py',
    'hermes',
    `<function_call> {"name": "get_weather", "arguments": ${json}}`,
  ],
  [
    'vllm-project/vllm, qwen3coder_tool_parser.py',
    'qwen-coder',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'ollama/ollama#16686, Qwen3-Coder without the outer tag',
    'qwen-coder',
    '<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'vllm-project/vllm, seed_oss_tool_parser.py',
    'seed',
    '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>',
  ],
  [
    'vllm-project/vllm, mistral_tool_parser.py, before v11',
    'mistral',
    `[TOOL_CALLS] [{"name": "get_weather", "arguments": ${json}}]</s>`,
  ],
  [
    'vllm-project/vllm, mistral_tool_parser.py, v11, and ollama/ollama#16932',
    'mistral',
    `[TOOL_CALLS]get_weather${json}`,
  ],
  [
    'ggml-org/llama.cpp, tests/test-chat.cpp, and ml-explore/mlx-lm#1374',
    'mistral',
    `[TOOL_CALLS]get_weather[ARGS]${json}`,
  ],
  [
    'ggml-org/llama.cpp, tests/test-chat.cpp, Mistral Small 3.2',
    'mistral',
    `[TOOL_CALLS]get_weather[CALL_ID]123456789[ARGS]${json}`,
  ],
  [
    'vllm-project/vllm, llama_tool_parser.py',
    'llama',
    `<|python_tag|>{"name": "get_weather", "parameters": ${json}}<|eom_id|>`,
  ],
  ['meta-llama/llama-models#266, Llama 3.3', 'llama', '<|python_tag|>get_weather(city="Paris")'],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, Hermes 2 Pro',
    'hermes',
    `<function name="get_weather">${json}</function>`,
  ],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, Functionary and Llama 3.1',
    'llama',
    `<function=get_weather>${json}</function>`,
  ],
  ['vllm-project/vllm, pythonic_tool_parser.py', 'pythonic', `[get_weather(city='Paris')]`],
  [
    'vllm-project/vllm, llama4_pythonic_tool_parser.py',
    'pythonic',
    `<|python_start|>[get_weather(city="Paris")]<|python_end|><|eot|>`,
  ],
  [
    'vllm-project/vllm, lfm2_tool_parser.py',
    'lfm',
    `<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>`,
  ],
  [
    'sgl-project/sglang, lfm2_detector.py',
    'lfm',
    `<|tool_call_start|>[{"name": "get_weather", "arguments": ${json}}]<|tool_call_end|>`,
  ],
  [
    'vllm-project/vllm, deepseekv3_tool_parser.py',
    'deepseek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
  ],
  [
    'vllm-project/vllm, deepseekv31_tool_parser.py',
    'deepseek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    'vllm-project/vllm, deepseekv32_tool_parser.py',
    'dsml',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  [
    'sgl-project/sglang, gpt_oss_detector.py',
    'harmony',
    `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${json}<|call|>`,
  ],
  [
    'ggml-org/llama.cpp, tests/test-chat.cpp, gpt-oss',
    'harmony',
    `<|start|>assistant<|channel|>analysis to=functions.get_weather code<|message|>${json}`,
  ],
  [
    'ggml-org/llama.cpp, tests/test-chat.cpp, gpt-oss, recipient in the role',
    'harmony',
    `<|start|>assistant to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>${json}<|call|>`,
  ],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, Command R7B',
    'command-r',
    `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${json}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>`,
  ],
  [
    'vllm-project/vllm, glm4_moe_tool_parser.py',
    'glm',
    '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call><|observation|>',
  ],
  [
    'vllm-project/vllm, kimi_k2_tool_parser.py',
    'kimi',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  [
    'vllm-project/vllm, granite_tool_parser.py, 3.0',
    'granite',
    `<|tool_call|>[{"name": "get_weather", "arguments": ${json}}]<|end_of_text|>`,
  ],
  [
    'vllm-project/vllm, granite_tool_parser.py, 3.1',
    'granite',
    `<tool_call>[{"name": "get_weather", "arguments": ${json}}]`,
  ],
  [
    'vllm-project/vllm, minimax_m2_tool_parser.py',
    'minimax',
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>[e~[',
  ],
  [
    'vllm-project/vllm, phi4mini_tool_parser.py',
    'phi',
    `functools[{"name": "get_weather", "arguments": ${json}}]`,
  ],
  [
    'vllm-project/vllm, jamba_tool_parser.py',
    'jamba',
    `<tool_calls>[{"name": "get_weather", "arguments": ${json}}]</tool_calls>`,
  ],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, Nemotron v2',
    'nemotron',
    `<TOOLCALL>[{"name": "get_weather", "arguments": ${json}}]</TOOLCALL>`,
  ],
  [
    'vllm-project/vllm, llama_tool_parser.py, without the tag',
    'json',
    `{"name": "get_weather", "parameters": ${json}}`,
  ],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, Llama 3.1',
    'json',
    `{"type": "function", "name": "get_weather", "parameters": ${json}}`,
  ],
  [
    'the interface itself',
    'json',
    `{"type": "function", "id": "c1", "function": {"name": "get_weather", "arguments": ${JSON.stringify(json)}}}`,
  ],
  [
    'vllm-project/vllm, gemma4_tool_parser.py',
    'gemma',
    '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
  ],
  [
    'ollama/ollama, model/parsers/gemma4.go: its end twice, and the token of a result',
    'gemma',
    '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|><tool_call|><|tool_response>',
  ],
  [
    'vllm-project/vllm, functiongemma_tool_parser.py',
    'gemma',
    '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call><start_function_response>',
  ],
  [
    'vllm-project/vllm, olmo3_tool_parser.py',
    'olmo',
    '<function_calls>get_weather(city="Paris")</function_calls>',
  ],
  [
    'sgl-project/sglang, minimax_m3.py',
    'minimax',
    ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Paris]<]minimax[>[</city>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
  ],
  [
    'vllm-project/vllm, dots_tool_parser.py',
    'dots',
    '<dots_function_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</dots_function_call>',
  ],
  [
    'sgl-project/sglang, gigachat3_detector.py',
    'gigachat',
    `<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "get_weather", "arguments": ${json}}</s>`,
  ],
  [
    'sgl-project/sglang, gigachat3_detector.py, whose marker alone is looked for',
    'gigachat',
    `function call<|role_sep|>\n{"name": "get_weather", "arguments": ${json}}`,
  ],
  [
    'vllm-project/vllm, apertus_tool_parser.py',
    'apertus',
    `<|tools_prefix|>[{"get_weather": ${json}}]<|tools_suffix|>`,
  ],
  [
    'vllm-project/vllm, step3_tool_parser.py',
    'step',
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather"><steptml:parameter name="city">Paris</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
  ],
  [
    'sgl-project/sglang, minicpm5_detector.py',
    'minicpm',
    '<function name="get_weather"><param name="city">Paris</param></function>',
  ],
  [
    'vllm-project/vllm, minicpm5xml_tool_parser.py, tags without their space',
    'minicpm',
    '<functionname="get_weather"><paramname="city">Paris</param></function>',
  ],
  [
    'vllm-project/vllm, longcat_tool_parser.py',
    'longcat',
    `<longcat_tool_call>{"name": "get_weather", "arguments": ${json}}</longcat_tool_call>`,
  ],
  [
    'LongCat Flash Lite, whose parsers follow glm4_moe_tool_parser.py',
    'longcat',
    '<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Paris</longcat_arg_value>\n</longcat_tool_call>',
  ],
  [
    'vllm-project/vllm, internlm2_tool_parser.py',
    'intern',
    `<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": ${json}}<|action_end|>`,
  ],
  [
    'sgl-project/sglang, lfm2_detector.py, an object',
    'lfm',
    `<|tool_call_start|>{"name": "get_weather", "arguments": ${json}}<|tool_call_end|>`,
  ],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, gpt-oss, whose role is in the prompt',
    'harmony',
    ` to=functions.get_weather<|channel|>analysis <|constrain|>json<|message|>${json}`,
  ],
  [
    'lightseekorg/smg, cohere.rs, an object',
    'command-r',
    `<|START_ACTION|>\n{"tool_name": "get_weather", "parameters": ${json}}\n<|END_ACTION|>`,
  ],
  [
    'parsers of MLX servers: Mistral with an end',
    'mistral',
    `[TOOL_CALLS] [{"name": "get_weather", "arguments": ${json}}] [/TOOL_CALLS]`,
  ],
  [
    'servers that write one Mistral call as an object',
    'mistral',
    `[TOOL_CALLS]{"name": "get_weather", "arguments": ${json}}[/TOOL_CALLS]`,
  ],
  ['Nemotron, one call', 'nemotron', `<TOOLCALL>{"name": "get_weather", "arguments": ${json}}</TOOLCALL>`],
  [
    'ollama/ollama, tools/tools_test.go: DeepSeek with the usual bar',
    'deepseek',
    `<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>get_weather\n\`\`\`json\n${json}\n\`\`\`<|tool▁call▁end|><|tool▁calls▁end|><|end▁of▁sentence|>`,
  ],
  [
    'sgl-project/sglang, glm4_moe_detector.py: line ends as their escapes',
    'glm',
    '<tool_call>get_weather\\n<arg_key>city</arg_key>\\n<arg_value>Paris</arg_value>\\n</tool_call>',
  ],
  ['vllm-project/vllm, xlam_tool_parser.py', 'json', `[{"name": "get_weather", "arguments": ${json}}]`],
  [
    'vllm-project/vllm, xlam_tool_parser.py, fenced',
    'json',
    `\`\`\`json\n[{"name": "get_weather", "arguments": ${json}}]\n\`\`\``,
  ],
  [
    'ollama/ollama#13519, Llama 3.2, and ggml-org/llama.cpp, common/chat-parser.cpp',
    'json',
    `\`\`\`\n{"name": "get_weather", "arguments": ${json}}\n\`\`\``,
  ],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, generic',
    'json',
    `{"tool_call": {"name": "get_weather", "arguments": ${json}}}`,
  ],
  [
    'ggml-org/llama.cpp, common/chat-parser.cpp, generic',
    'json',
    `{"tool_calls": [{"name": "get_weather", "arguments": ${json}, "id": "a"}]}`,
  ],
]

const two = [{ city: 'Paris' }, { city: 'São Paulo', days: 2 }]
const [one, other] = two.map((value) => JSON.stringify(value))

/** Two calls in each notation that can contain several. */
const twoCalls: readonly (readonly [form: string, text: string])[] = [
  [
    'hermes',
    `<tool_call>\r\n{"name": "get_weather", "arguments": ${one}}\r\n</tool_call>\r\n<tool_call>\r\n{"name": "get_weather", "arguments": ${other}}\r\n</tool_call>`,
  ],
  [
    'qwen-coder',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=get_weather>\n<parameter=city>\nSão Paulo\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'mistral',
    `[TOOL_CALLS][{"name": "get_weather", "arguments": ${one}, "id": "abcdefghi"}, {"name": "get_weather", "arguments": ${other}}]`,
  ],
  ['mistral', `[TOOL_CALLS]get_weather[ARGS]${one}[TOOL_CALLS]get_weather[ARGS]${other}`],
  [
    'llama',
    `<|python_tag|>{"name": "get_weather", "parameters": ${one}}; {"name": "get_weather", "parameters": ${other}}`,
  ],
  ['pythonic', `[get_weather(city='Paris'), get_weather(city="São Paulo", days=2)]`],
  [
    'deepseek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${one}<｜tool▁call▁end｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${other}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    'dsml',
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">São Paulo</｜DSML｜parameter>\n<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
  ],
  [
    'harmony',
    `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${one}<|call|><|start|>assistant<|channel|>commentary to=functions.get_weather<|message|>${other}<|call|>`,
  ],
  [
    'command-r',
    `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${one}},\n{"tool_call_id": "1", "tool_name": "get_weather", "parameters": ${other}}]<|END_ACTION|>`,
  ],
  [
    'glm',
    '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call><tool_call>get_weather<arg_key>city</arg_key><arg_value>São Paulo</arg_value><arg_key>days</arg_key><arg_value>2</arg_value></tool_call>',
  ],
  [
    'kimi',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${one}<|tool_call_end|><|tool_call_begin|>functions.get_weather:1<|tool_call_argument_begin|>${other}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  [
    'granite',
    `<|tool_call|><tool_call>[{"name": "get_weather", "arguments": ${one}}, {"name": "get_weather", "arguments": ${other}}]`,
  ],
  [
    'minimax',
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n<invoke name="get_weather">\n<parameter name="city">São Paulo</parameter>\n<parameter name="days">2</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    'gemma',
    '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|><|tool_call>call:get_weather{city:<|"|>São Paulo<|"|>,days:2}<tool_call|>',
  ],
  [
    'olmo',
    `<function_calls>\nget_weather(city='Paris')\nget_weather(city="São Paulo", days=2)\n</function_calls>`,
  ],
  [
    'minimax',
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">São Paulo</parameter>\n<parameter name="days">2</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  ['apertus', `<|tools_prefix|>[{"get_weather": ${one}}, {"get_weather": ${other}}]<|tools_suffix|>`],
  [
    'llama',
    `<|python_tag|>{"name": "get_weather", "parameters": ${one}}<|python_tag|>{"name": "get_weather", "parameters": ${other}}`,
  ],
  ['json', `{"name": "get_weather", "parameters": ${one}}\n{"name": "get_weather", "parameters": ${other}}`],
  ['json', `{"name": "get_weather", "parameters": ${one}};{"name": "get_weather", "parameters": ${other}}`],
]

it.each(twoCalls)('%s: several calls are read in their order: %s', (form, text) => {
  const found = readTextCalls(text, tools)
  expect(found?.form).toBe(form)
  expect(found?.calls.map((call) => JSON.parse(call.arguments))).toEqual(two)
  expect(readTextCalls(text.replace(/get_weather(?!.*get_weather)/s, 'get_wether'), tools)).toBeUndefined()
  const scanner = new MarkupScanner(tools)
  expect([...text].map((sign) => scanner.add(sign))).not.toContain('text')
})

it.each([
  [
    'harmony',
    `<|channel|>analysis<|message|>Weather, then.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${json}<|call|>`,
  ],
  [
    'harmony',
    `<|start|>assistant<|channel|>analysis<|message|>Weather.<|end|><|start|>assistant to=functions.get_weather<|channel|>analysis<|message|>${json}`,
  ],
  [
    'command-r',
    `<|START_THINKING|>I will look.<|END_THINKING|><|START_ACTION|>[{"tool_name": "get_weather", "parameters": ${json}}]<|END_ACTION|>`,
  ],
  ['mistral', `[THINK]I will look.[/THINK][TOOL_CALLS]get_weather[ARGS]${json}`],
  [
    'gemma',
    '<|channel>thought\nI will look.<channel|><|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
  ],
  [
    'apertus',
    `<|inner_prefix|>I will look.<|inner_suffix|><|tools_prefix|>[{"get_weather": ${json}}]<|tools_suffix|>`,
  ],
  [
    'command-r',
    `<|END_THINKING|><|START_ACTION|>[{"tool_name": "get_weather", "parameters": ${json}}]<|END_ACTION|>`,
  ],
  ['json', `</think>\n\n{"name": "get_weather", "parameters": ${json}}`],
  [
    'kimi',
    `<think>I will look.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  [
    'hermes',
    `I could write: <tool_call>{"name": "now", "arguments": {}}</tool_call>\n</think>\n\n<tool_call>{"name": "get_weather", "arguments": ${json}}</tool_call>`,
  ],
  [
    'seed',
    '<seed:think>\nI will look.</seed:think>\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call><seed:eos>',
  ],
])('%s: its own reasoning is skipped', (form, text) => {
  expect(readTextCalls(text, tools)).toMatchObject({ form, calls: [{ name: 'get_weather' }] })
  const scanner = new MarkupScanner(tools)
  const states = [...text].map((sign) => scanner.add(sign))
  if (/^[<[]/.test(text)) expect(states).not.toContain('text')
  expect(states.at(-1)).toBe('call')
  expect(scanner.start).toBeGreaterThan(7)
})

it.each([
  ['glm', '<tool_call>now\n</tool_call>'],
  ['qwen-coder', '<tool_call>\n<function=now>\n</function>\n</tool_call>'],
  ['pythonic', '[now()]'],
  [
    'dsml',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  [
    'kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>now:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
  ],
])('%s: a call may have no arguments', (form, text) => {
  const calls = [{ name: 'now', arguments: '{}' }]
  expect(readTextCalls(text, tools)).toEqual({ form, calls, texts: [text], start: 0, before: '', behind: '' })
})

it.each([
  '',
  'Paris has 2 million inhabitants.',
  '{"city": "Paris"}',
  '{"name": "get_weather"}',
  '[]',
  '[[]]',
  '[get_weather](https://example.com)',
  '["get_weather"]',
  '<tool_call></tool_call>',
  '<tool_call>',
  '<tool_calls>[]</tool_calls>',
  '[TOOL_CALLS]',
  '[TOOL_CALLS][]',
  '<think>get_weather</think>',
  `<think>[TOOL_CALLS]get_weather${json}`,
  `<think>[TOOL_CALLS]get_weather${json}</think>`,
  `<|channel|>commentary<|message|>${json}<|call|>`,
  `<|channel|>final to=user<|message|>${json}`,
  `<tool_call>{"name": "get_weather", "arguments": ${json}}</tool_call></tool_call>`,
  `<tool_call>{"name": "get_weather", "arguments": ${json}}</function_call>`,
  `<tool_call>{"name": "get_weather", "arguments": ${json}}</tool_call>[TOOL_CALLS]get_weather${json}`,
  `<tool_call>{"name": "get_weather", "arguments": ${json}}<|call|>`,
  `{"name": "get_weather", "parameters": ${json}}, {"name": "get_weather", "parameters": ${json}}`,
  `[{"name": "get_weather", "parameters": ${json}},]`,
  `[{"name": "get_weather", "parameters": ${json}}, "and so on"]`,
  `\`\`\`json\n{"name": "get_weather", "parameters": ${json}}`,
  `\`\`\`python\n{"name": "get_weather", "parameters": ${json}}\n\`\`\``,
  `<function=get_weather><parameter=city>Paris</parameter>`,
  `<function=get_weather>${json}`,
  `<tool_call><function=get_weather>Paris</function></tool_call>`,
])('no call: %s', (text) => {
  expect(readTextCalls(text, tools)).toBeUndefined()
})

it('without tools there are no calls', () => {
  expect(readTextCalls('<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>', [])).toBeUndefined()
})

describe.each(oneCall)('%s: %s', (_, form, text) => {
  it('is read', () => {
    const found = readTextCalls(text, tools)
    expect(found?.form).toBe(form)
    expect(found?.calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['get_weather', paris],
    ])
  })

  it('is never called text, wherever it is cut', () => {
    for (let cut = 0; cut <= text.length; cut += cases(1, 4)) {
      const scanner = new MarkupScanner(tools)
      expect(scanner.add(text.slice(0, cut))).not.toBe('text')
      expect(scanner.add(text.slice(cut))).toBe('call')
    }
    const byCharacter = new MarkupScanner(tools)
    const states = [...text].map((sign) => byCharacter.add(sign))
    expect(states).not.toContain('text')
    expect(states.at(-1)).toBe('call')
    // What has been reported as a call stays one.
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
