import { oslo, ranOslo } from '../../cases/oslo.js'
import { ran, said } from '../../expectation.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  adds,
  addsInput,
  call,
  callBlock,
  closes,
  opens,
  replies,
  streamed,
  streamOf,
  text,
  thinks,
} from '../message-events.js'
import { messagesWire } from '../messages-wire.js'

const wireCase = inArea('blocks', messagesWire)
const thinking = 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking'
const serverTools = 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools'
const signature = 'RXFRQkNrWUlCeGdDS2tB'
const redacted = { type: 'redacted_thinking', data: 'RXJZRUNrWUlBUmdDS2tBZE1sdnlEbFBl' }
const found = { type: 'web_search_result', url: 'https://a.test', title: 'A', encrypted_content: 'c2VjcmV0' }
const searched = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [found],
  caller: { type: 'direct' },
}
const searches = [
  opens({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }, 0),
  addsInput('{"query":', 0),
  addsInput('"oslo"}', 0),
  closes(0),
  opens(searched, 1),
  closes(1),
]
const citation = {
  type: 'web_search_result_location',
  url: 'https://a.test',
  title: 'A',
  encrypted_index: 'aW5kZXg=',
  cited_text: 'It snows.',
}

/** Blocks that only their own server reads: they go back to it as they came, in their order. */
export const blocks: readonly WireCase[] = [
  wireCase('m31', 'signed thinking comes before a call', {
    evidence: [thinking, 'RooCodeInc/Roo-Code#10351'],
    stream: streamed([...thinks('Hm.', signature), ...call(oslo, 1)], 'tool_use'),
    expect: {
      ...ranOslo,
      text: '',
      echo: { 'blocks.0.thinking': 'Hm.', 'blocks.0.signature': signature, 'blocks.1.type': 'tool_use' },
    },
  }),
  wireCase('m32', 'signed thinking comes before a call in a plain message', {
    evidence: [thinking, 'MoonshotAI/kosong#25'],
    plain: replies(
      [{ type: 'thinking', thinking: 'Hm.', signature }, callBlock({ city: 'Oslo' })],
      'tool_use',
    ),
    expect: { ...ranOslo, echo: { 'blocks.0.thinking': 'Hm.', 'blocks.0.signature': signature } },
  }),
  wireCase('m33', 'thinking has a signature and no text', {
    evidence: ['langchain4j/langchain4j#6246', 'BerriAI/litellm#38809', 'caozhiyuan/copilot-api#350'],
    stream: streamed([...thinks('', signature), ...call(oslo, 1)], 'tool_use'),
    expect: { ...ranOslo, echo: { 'blocks.0.thinking': '', 'blocks.0.signature': signature } },
  }),
  wireCase('m34', 'two thinking blocks have a signature each', {
    evidence: ['openai/openai-agents-python#4175', 'simonw/llm-anthropic#87'],
    stream: streamed(
      [...thinks('One.', 'c2lnMQ=='), ...thinks('Two.', 'c2lnMg==', 1), ...call(oslo, 2)],
      'tool_use',
    ),
    expect: {
      ...ranOslo,
      echo: {
        'blocks.0.thinking': 'One.',
        'blocks.0.signature': 'c2lnMQ==',
        'blocks.1.thinking': 'Two.',
        'blocks.1.signature': 'c2lnMg==',
      },
    },
  }),
  wireCase('m35', 'thinking stands between texts', {
    evidence: ['can1357/oh-my-pi#6495', thinking],
    stream: streamed(
      [...text('First.'), ...thinks('Hm.', signature, 1), ...text('Then.', 2), ...call(oslo, 3)],
      'tool_use',
    ),
    expect: {
      ...ranOslo,
      text: 'First.Then.',
      echo: { 'blocks.0.text': 'First.', 'blocks.1.thinking': 'Hm.', 'blocks.2.text': 'Then.' },
    },
  }),
  wireCase('m36', 'thinking is redacted', {
    evidence: ['BerriAI/litellm#9058', 'zendev-sh/goai#94', 'langgenius/dify-official-plugins#3657'],
    stream: streamed([opens(redacted), closes(), ...call(oslo, 1)], 'tool_use'),
    expect: {
      ...ranOslo,
      text: '',
      echo: { 'blocks.0.type': redacted.type, 'blocks.0.data': redacted.data },
    },
  }),
  wireCase('m37', 'thinking is redacted in a plain message', {
    evidence: ['BerriAI/litellm#9058', 'maximhq/bifrost#5093'],
    plain: replies([redacted, { type: 'text', text: 'Hm.' }, callBlock({ city: 'Oslo' })], 'tool_use'),
    expect: { ...ranOslo, text: 'Hm.', echo: { 'blocks.0.data': redacted.data, 'blocks.1.text': 'Hm.' } },
  }),
  wireCase('m38', 'thinking has an empty signature', {
    evidence: ['ENTERPILOT/GoModel#964'],
    stream: streamed([...thinks('Hm.', ''), ...call(oslo, 1)], 'tool_use'),
    expect: { ...ranOslo, echo: { 'blocks.0.thinking': 'Hm.', 'blocks.0.signature': '' } },
  }),
  wireCase('m39', 'thinking has no signature', {
    evidence: ['AgnesAI-Labs/AgnesAI-Models#117', 'ollama/ollama#15287'],
    stream: streamed(
      [
        opens({ type: 'thinking', thinking: '' }),
        adds({ type: 'thinking_delta', thinking: 'Hm.' }),
        closes(),
        ...call(oslo, 1),
      ],
      'tool_use',
    ),
    expect: { ...ranOslo, text: '', echo: { 'blocks.0.thinking': 'Hm.', 'blocks.0.signature': undefined } },
  }),
  wireCase('m40', 'thinking is no part of the answer', {
    evidence: ['run-llama/llama_index#20077', 'BerriAI/litellm#30765'],
    stream: streamed([...thinks('The user asks.', signature), ...text('Snow.', 1)]),
    expect: said('Snow.'),
  }),
  wireCase('m41', 'text comes after a call', {
    evidence: ['derived: blocks are sent back in their order'],
    level: 'should',
    stream: streamed([...call(oslo), ...text('I look now.', 1)], 'tool_use'),
    expect: {
      ...ranOslo,
      text: 'I look now.',
      echo: { 'blocks.0.type': 'tool_use', 'blocks.1.text': 'I look now.' },
    },
  }),
  wireCase('m42', 'an empty text comes before a call', {
    evidence: ['anthropics/anthropic-sdk-python#461', 'anthropics/claude-code#23440'],
    stream: streamed([...text(''), ...call(oslo, 1)], 'tool_use'),
    expect: { ...ranOslo, echo: { 'blocks.0.type': 'tool_use', 'blocks.1': undefined } },
  }),
  wireCase('m43', 'the server searches, then a call follows', {
    evidence: ['can1357/oh-my-pi#6495', 'agno-agi/agno#6879', 'BerriAI/litellm#22240'],
    stream: streamed([...searches, ...text('Now I look.', 2), ...call(oslo, 3)], 'tool_use'),
    expect: {
      ...ranOslo,
      text: 'Now I look.',
      echo: {
        'blocks.0.type': 'server_tool_use',
        'blocks.0.input.query': 'oslo',
        'blocks.1.tool_use_id': 'srvtoolu_1',
        'blocks.1.content.0.encrypted_content': 'c2VjcmV0',
        'blocks.2.text': 'Now I look.',
      },
    },
  }),
  wireCase('m44', 'the server searches and answers', {
    evidence: [serverTools],
    stream: streamed([...searches, ...text('Snow.', 2)]),
    expect: said('Snow.'),
  }),
  wireCase('m45', 'the text after a search has the index of its result', {
    evidence: ['anthropics/anthropic-sdk-typescript#879'],
    stream: streamed([...searches, ...text('Snow.', 1)]),
    expect: said('Snow.'),
  }),
  wireCase('m46', 'the search fails', {
    evidence: [serverTools],
    stream: streamed([
      ...searches.slice(0, 4),
      opens({ ...searched, content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } }, 1),
      closes(1),
      ...text('I could not search.', 2),
    ]),
    expect: said('I could not search.'),
  }),
  wireCase('m47', 'a text cites its sources, and a call follows', {
    evidence: ['https://platform.claude.com/docs/en/build-with-claude/citations', serverTools],
    stream: streamed(
      [
        opens({ type: 'text', text: '', citations: [] }),
        adds({ type: 'text_delta', text: 'It snows.' }),
        adds({ type: 'citations_delta', citation }),
        closes(),
        ...call(oslo, 1),
      ],
      'tool_use',
    ),
    expect: {
      ...ranOslo,
      text: 'It snows.',
      echo: { 'blocks.0.text': 'It snows.', 'blocks.0.citations.0.encrypted_index': 'aW5kZXg=' },
    },
  }),
  wireCase('m48', 'a citation names a file', {
    evidence: ['@anthropic-ai/sdk 1.13: a citation in a request has no file_id'],
    level: 'should',
    plain: replies(
      [
        {
          type: 'text',
          text: 'It snows.',
          citations: [{ type: 'char_location', cited_text: 'snow', document_index: 0, file_id: 'file_1' }],
        },
        callBlock({ city: 'Oslo' }),
      ],
      'tool_use',
    ),
    expect: {
      ...ranOslo,
      echo: { 'blocks.0.citations.0.cited_text': 'snow', 'blocks.0.citations.0.file_id': undefined },
    },
  }),
  wireCase('m49', 'a block has a type that is not known', {
    evidence: ['openclaw/openclaw#65288', 'BerriAI/litellm#28868'],
    stream: streamed(
      [
        opens({ type: 'compaction', content: null }),
        adds({ type: 'compaction_delta', content: 'A summary.' }),
        closes(),
        ...call(oslo, 1),
      ],
      'tool_use',
    ),
    expect: {
      ...ranOslo,
      text: '',
      echo: { 'blocks.0.type': 'compaction', 'blocks.0.content': 'A summary.' },
    },
  }),
  wireCase('m50', 'calls have fields that are not known', {
    evidence: ['@anthropic-ai/sdk 1.13: caller and toolset_name of tool_use'],
    stream: streamed(
      call(oslo, 0, {
        caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' },
        toolset_name: null,
      }),
      'tool_use',
    ),
    expect: { ...ranOslo, echo: { 'blocks.0.caller.tool_id': 'srvtoolu_1' } },
  }),
  wireCase('m51', 'the server pauses a long reply', {
    evidence: [serverTools, 'laravel/ai#493', 'vellum-ai/vellum-assistant#40897'],
    stream: streamed([...searches, ...text('I search. ', 2)], 'pause_turn'),
    again: [streamOf('It snows.')],
    expect: said('I search. It snows.', { finalText: 'I search. It snows.' }),
  }),
  wireCase('m52', 'the server pauses a plain reply, and calls later', {
    evidence: [serverTools, 'anthropics/anthropic-sdk-typescript#906'],
    plain: replies(
      [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'oslo' } }],
      'pause_turn',
    ),
    again: [replies([searched, callBlock({ city: 'Oslo' })], 'tool_use')],
    expect: ran(
      'get_weather',
      { city: 'Oslo' },
      {
        echo: {
          'blocks.0.id': 'srvtoolu_1',
          'blocks.1.tool_use_id': 'srvtoolu_1',
          'blocks.2.type': 'tool_use',
        },
      },
    ),
  }),
]
