import * as core from '@capstan/core'
import { folderArtifacts, folderSessions } from '@capstan/core/node'
import { openaiModel } from '@capstan/core/openai'
import { agentHandler } from '@capstan/http'
import { mcpServer, mcpTools } from '@capstan/mcp'
import { generateImage, mediaTools } from '@capstan/media'
import { autoModel, checkTools, fakeClock, reply, scriptedModel } from '@capstan/testing'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'

// Mistakes that TypeScript would refuse, as a program in JavaScript makes them.
type Untyped<Made = unknown> = (...given: readonly unknown[]) => Made
const untyped = (made: unknown) => made as Untyped

const parameters = core.jsonSchema({ type: 'object', properties: { city: { type: 'string' } } })
const weather = core.tool({ name: 'weather', description: 'The weather.', parameters, execute: () => 'Sun.' })
const model = () => scriptedModel([reply.text('Hi.')])
const client = new OpenAI({ apiKey: 'k', baseURL: 'http://127.0.0.1:9/v1' })
const sdkModel = { specificationVersion: 'v2', modelId: 'gpt-5', doGenerate() {}, doStream() {} }
const wireTool = { type: 'function', function: { name: 'f', parameters: {} } }

/** An agent with wrong options. */
const agent = (options: object = {}) =>
  new core.Agent({ model: model(), tools: [weather], ...options } as never)
/** A run with wrong options, or with another input. */
const run = (options: unknown, input: unknown = 'Hi.') => agent().run(input as never, options as never)
const tool = (options: object) =>
  untyped(core.tool)({ name: 'w', description: 'Does.', parameters, ...options })
const handler = (options: object) => untyped(agentHandler)(agent(), { authenticate: false, ...options })

/** Each mistake, with the option and the remedy that its error names. */
type Mistake = readonly [name: string, make: () => unknown, says: RegExp]

const agents: readonly Mistake[] = [
  [
    'no options',
    () => untyped((given: never) => new core.Agent(given))(),
    /An agent expects an options object, got undefined/,
  ],
  ['system', () => agent({ system: 'Be kind.' }), /no option "system".*Did you mean "instructions"\?/],
  ['system_prompt', () => agent({ system_prompt: 'x' }), /"system_prompt".*"instructions"/],
  ['messages', () => agent({ messages: [] }), /"messages".*"agent\.run\(input\)"/],
  ['maxSteps', () => agent({ maxSteps: 3 }), /"maxSteps".*"limits\.steps"/],
  ['maxTurns', () => agent({ maxTurns: 3 }), /"maxTurns".*"limits\.steps"/],
  ['temperature', () => agent({ temperature: 0 }), /"temperature".*"settings\.temperature"/],
  ['maxTokens', () => agent({ maxTokens: 9 }), /"maxTokens".*"settings\.maxTokens"/],
  ['maxRetries', () => agent({ maxRetries: 3 }), /"maxRetries".*"chatModel\(name, \{ maxRetries \}\)"/],
  ['onStepFinish', () => agent({ onStepFinish() {} }), /"onStepFinish".*"onStep"/],
  ['responseFormat', () => agent({ responseFormat: {} }), /"responseFormat".*"output"/],
  ['apiKey', () => agent({ apiKey: 'k' }), /"apiKey".*"chatModel\(name, \{ apiKey, baseURL \}\)"/],
  ['handoffs', () => agent({ handoffs: [] }), /"handoffs".*"tools: \[handoff\(agent\)\]"/],
  ['an option of a run', () => agent({ session: {} }), /"session".*"session" of agent\.run/],
  [
    'model: undefined',
    () => agent({ model: undefined }),
    /`model` is undefined, not a ChatModel\. Use chatModel\(name\)/,
  ],
  ['an empty model name', () => agent({ model: '' }), /Model name is empty\. Pass one: chatModel/],
  [
    'a model of the AI SDK',
    () => agent({ model: sdkModel }),
    /`model` is an AI SDK model, not a ChatModel\. Use aiSdkModel\(model\)/,
  ],
  [
    'a client as a model',
    () => agent({ model: client }),
    /`model` is an OpenAI client, not a ChatModel\. Use openaiModel\(client, name\)/,
  ],
  [
    'a function as a model',
    () => agent({ model: core.chatModel }),
    /`model` is a function, not a ChatModel\. Use chatModel\(name\)/,
  ],
  ['a promise of a model', () => agent({ model: Promise.resolve() }), /`model` .* a promise/],
  ['tools as an object', () => agent({ tools: { weather } }), /tools is an object\. Use an array/],
  ['one tool', () => agent({ tools: weather }), /tools is an object\. Use an array/],
  ['a list in a list', () => agent({ tools: [[weather]] }), /tools contains an array.*Spread it/],
  [
    'a tool of the wire',
    () => agent({ tools: [wireTool] }),
    /tools contains the wire form of a tool.*Use tool\(\{/,
  ],
  ['null as a tool', () => agent({ tools: [null] }), /tools contains null.*Use tool\(\{/],
  ['a function as a tool', () => agent({ tools: [mediaTools] }), /tools contains a function.*Call it/],
  [
    'an agent as a tool',
    () => agent({ tools: [agent()] }),
    /tools contains an agent.*Use agentTool\(agent\)/,
  ],
  [
    'an MCP server as a tool',
    () => agent({ tools: [{ tools: [weather] }] }),
    /tools contains an object with tools.*Spread it/,
  ],
  ['stopWhen: 5', () => agent({ stopWhen: 5 }), /stopWhen is 5\. Use a function, or an array of them/],
  [
    'a verdict as a policy',
    () => agent({ policy: core.verdict.allow }),
    /policy is an object\. Use a function/,
  ],
  ['prepareStep: {}', () => agent({ prepareStep: {} }), /prepareStep is an object\. Use a function/],
  ['observe: true', () => agent({ observe: true }), /observe is a boolean\. Use a function/],
  ['policy: null', () => agent({ policy: null }), /policy is null\. Use a function/],
  ['instructions as a list', () => agent({ instructions: ['x'] }), /instructions is an array\. Use a string/],
  [
    'a folder as artifacts',
    () => agent({ artifacts: './files' }),
    /artifacts is a string\. Use memoryArtifacts\(\)/,
  ],
  [
    'a forced tool of the AI SDK',
    () => agent({ toolChoice: { type: 'tool', toolName: 'weather' } }),
    /toolChoice is an object: use "auto"/,
  ],
  ['fields as an output', () => agent({ output: { city: 'string' } }), /output is an object\. Use a schema/],
  ['limits: 5', () => agent({ limits: 5 }), /limits is a number\. Use an object/],
  [
    'limits.maxSteps',
    () => agent({ limits: { maxSteps: 3 } }),
    /limits has no option "maxSteps".*Did you mean "limits\.steps"/,
  ],
  [
    'limits.stepz',
    () => agent({ limits: { stepz: 3 } }),
    /limits has no option "stepz".*Did you mean "steps"/,
  ],
  [
    'a middleware that was not called',
    () => agent({ middleware: [core.retryTools] }),
    /middleware contains a function "retryTools"\. Call it/,
  ],
  [
    'one middleware',
    () => agent({ middleware: core.retryTools() }),
    /middleware is an object\. Use an array: \[one, two\]/,
  ],
  [
    'null as a middleware',
    () => agent({ middleware: [null] }),
    /middleware contains null\. Use functions such as/,
  ],
  [
    'a hook that is true',
    () => agent({ middleware: [{ name: 'x', beforeModel: true }] }),
    /"x": beforeModel is a boolean\. Use a function/,
  ],
]

const runs: readonly Mistake[] = [
  ['no input', () => agent().run(undefined as never), /Pass a string/],
  ['a text as options', () => run('fast'), /A run expects an options object, got a string/],
  [
    'a signal as options',
    () => run(new AbortController().signal),
    /options is an AbortSignal: use \{ signal \}/,
  ],
  [
    'a controller as a signal',
    () => run({ signal: new AbortController() }),
    /signal is an object\. Use controller\.signal/,
  ],
  ['abortSignal', () => run({ abortSignal: new AbortController().signal }), /"abortSignal".*"signal"/],
  ['stream', () => run({ stream: true }), /"stream".*"agent\.stream\(input\)"/],
  ['another name of an option', () => run({ system: 'x' }), /"system".*Did you mean "instructions"/],
  ['an option of an agent', () => run({ repair: 'x' }), /"repair".*new Agent/],
  ['maxSteps', () => run({ maxSteps: 3 }), /"maxSteps".*"limits\.steps"/],
  [
    'an id as a session',
    () => run({ session: 'chat-1' }),
    /session has no session store\. Use \{ store: memorySessions\(\), id \}/,
  ],
  ['a session without a store', () => run({ session: { id: 'chat-1' } }), /session has no session store/],
  [
    'a store of their own, without its code for runs',
    () => run({ session: { store: { ...core.memorySessions(), wrapRun: undefined }, id: 'chat-1' } }),
    /session has no session store\. .* sessionStore\(\{ load, \.\.\. \}\)/,
  ],
  [
    'a store of sessions with half of its methods',
    () => untyped(core.sessionStore)({ load: () => {}, list: () => {} }),
    /sessionStore has no append, delete\. Add load, append, list and delete/,
  ],
  [
    'a session without an id',
    () => run({ session: { store: core.memorySessions() } }),
    /session id: undefined\. Use 1 to 200/,
  ],
  [
    'a path as an attachment',
    () => run({ attachments: ['a.png'] }),
    /attachments contains a string\. Use \{ path \}/,
  ],
  [
    'a model name',
    () => run({ model: 'gpt-5' }),
    /`model` is a string, not a ChatModel\. Use chatModel\(name\)/,
  ],
  ['tools as an object', () => run({ tools: { weather } }), /tools is an object\. Use an array/],
  ['a message that is text', () => run({}, ['Hi.']), /messages\[0\] is not a message/],
]

const tools: readonly Mistake[] = [
  [
    'inputSchema',
    () => tool({ parameters: undefined, inputSchema: parameters }),
    /"inputSchema".*Did you mean "parameters"/,
  ],
  ['handler', () => tool({ handler() {} }), /"handler".*"execute"/],
  ['timeout', () => tool({ timeout: 5 }), /"timeout".*"timeoutMs"/],
  ['an empty description', () => tool({ description: '' }), /has no description\. Add one/],
  ['no parameters', () => tool({ parameters: undefined }), /Parameters of tool "w".*use zod, or jsonSchema/],
  [
    'a JSON Schema',
    () => tool({ parameters: { type: 'object' } }),
    /Parameters of tool "w".*jsonSchema\(\{ \.\.\. \}\)/,
  ],
  ['execute as a text', () => tool({ execute: 'x' }), /Tool "w": execute is a string/],
  ['a rate per second', () => untyped(core.rateLimit)({ calls: 1, per: 1000 }), /"per".*"intervalMs"/],
  [
    'options as an agent',
    () => untyped(core.agentTool)({ model: 'm' }),
    /Expected an agent, got an object.*new Agent/,
  ],
  ['no agent for a handoff', () => untyped(core.handoff)(), /Expected an agent, got undefined/],
  ['a tool as a name', () => untyped(core.hasCalled)(weather), /hasCalled takes a tool name/],
]

const models: readonly Mistake[] = [
  ['no name', () => untyped(core.chatModel)(), /Model name is undefined\. Pass one: chatModel/],
  ['baseUrl', () => untyped(core.chatModel)('m', { baseUrl: 'http://x' }), /"baseUrl".*"baseURL"/],
  [
    'temperature',
    () => untyped(core.chatModel)('m', { temperature: 0 }),
    /"temperature".*"settings\.temperature" of new Agent/,
  ],
  [
    'an object as a client',
    () => untyped(openaiModel)({}, 'm'),
    /openaiModel needs an openai client.*new OpenAI\(\)/,
  ],
  ['a client without a model name', () => untyped(openaiModel)(client), /Model name is undefined/],
  [
    'names in a fallback',
    () => untyped(core.fallback)(['a', 'b']),
    /A model in fallback is a string, not a ChatModel\. Use chatModel\(name\)/,
  ],
  [
    'models as arguments',
    () => untyped(core.fallback)(model(), model()),
    /fallback takes an array of models: fallback\(\[/,
  ],
]

const middlewares: readonly Mistake[] = [
  [
    'retryTools({ retries })',
    () => untyped(core.retryTools)({ retries: 1 }),
    /retryTools has no option "retries".*"times"/,
  ],
  [
    'retryTools({ times: text })',
    () => untyped(core.retryTools)({ times: 'two' }),
    /retryTools: times is a string\. Use a number/,
  ],
  ['cacheTools()', () => untyped(core.cacheTools)(), /cacheTools expects an options object.*ttlMs/],
  ['cacheTools({ ttl })', () => untyped(core.cacheTools)({ ttl: 5 }), /"ttl".*"ttlMs"/],
  ['cacheTools({})', () => untyped(core.cacheTools)({}), /cacheTools: ttlMs is required\. Use a number/],
  [
    'trimHistory(4000)',
    () => untyped(core.trimHistory)(4000),
    /trimHistory expects an options object, got a number.*maxTokens/,
  ],
  ['summarizeHistory({ tokens })', () => untyped(core.summarizeHistory)({ tokens: 5 }), /no option "tokens"/],
  ['compactHistory({})', () => untyped(core.compactHistory)({}), /compact is an object\. Use a function/],
  [
    'showImages({ max })',
    () => untyped(core.showImages)({ max: 1 }),
    /showImages has no option "max".*maxImages/,
  ],
  [
    'taintTracking({ enabled })',
    () => untyped(core.taintTracking)({ enabled: false }),
    /taintTracking has no option "enabled".*ask/,
  ],
  [
    'logRuns(function)',
    () => untyped(core.logRuns)(console.log),
    /logRuns expects an options object, got a function.*to/,
  ],
  [
    'modelPerStep(model)',
    () => untyped(core.modelPerStep)(model()),
    /modelPerStep: choose is an object\. Use a function/,
  ],
  ['guard({ output })', () => untyped(core.guard)({ output: () => core.verdict.allow }), /"output".*"reply"/],
]

const stores: readonly Mistake[] = [
  ['folderSessions()', () => untyped(folderSessions)(), /folderSessions: folder is required\. Use a string/],
  ['folderArtifacts()', () => untyped(folderArtifacts)(), /folderArtifacts: folder is required/],
  [
    'unstorageSessions({})',
    () => untyped(core.unstorageSessions)({}),
    /storage is an object\. Use createStorage\(\)/,
  ],
  [
    'unstorageArtifacts()',
    () => untyped(core.unstorageArtifacts)(),
    /storage is required\. Use createStorage\(\)/,
  ],
  ['a session of no id', () => untyped(core.memorySessions().load)(), /session id: undefined\. Use 1 to 200/],
]

const media: readonly Mistake[] = [
  ['apiKey', () => untyped(mediaTools)({ apiKey: 'k' }), /"apiKey".*"client\.apiKey"/],
  ['quality', () => untyped(mediaTools)({ quality: 'low' }), /"quality".*"request\.image\.quality"/],
  ['the speed', () => untyped(mediaTools)({ speed: 2 }), /"speed".*"request\.speech\.speed"/],
  ['model', () => untyped(generateImage)({ model: 'm' }), /"model".*"models"/],
  [
    'models.images',
    () => untyped(mediaTools)({ models: { images: 'm' } }),
    /models of a media tool .* "images".*"image"/,
  ],
  [
    'a client as options',
    () => untyped(mediaTools)(client),
    /media tool got a client instead of options\. Pass \{ client \}/,
  ],
  ['a folder as allow', () => untyped(mediaTools)({ allow: './files' }), /allow is a string\. Use an object/],
  [
    'an unknown dialect',
    () => untyped(mediaTools)({ dialect: 'azure' }),
    /dialect "azure" is unknown\. Use one of: interface/,
  ],
]

const testing: readonly Mistake[] = [
  ['scriptedModel()', () => untyped(scriptedModel)(), /scriptedModel takes an array of steps, not undefined/],
  [
    'a step without a list',
    () => untyped(scriptedModel)(reply.text('Hi.')),
    /takes an array of steps, not an object/,
  ],
  [
    'a text as a step',
    () => untyped(scriptedModel)(['Hi.']),
    /scriptedModel: step 1 is a string\. Use reply\.text/,
  ],
  [
    'a tool in a call',
    () => untyped(reply.call)(weather),
    /^reply\.call\(\.\.\.\) takes a string, not an object/,
  ],
  ['steps in autoModel', () => untyped(autoModel)([]), /autoModel expects an options object, got an array/],
  [
    'one tool in checkTools',
    () => untyped(checkTools)(weather),
    /checkTools: tools is an object\. Use an array/,
  ],
  [
    'a date in fakeClock',
    () => untyped(fakeClock)('2026-01-01'),
    /fakeClock expects an options object, got a string/,
  ],
]

const servers: readonly Mistake[] = [
  ['agentHandler()', () => untyped(agentHandler)(), /agentHandler needs an agent.*new Agent/],
  ['no authenticate', () => untyped(agentHandler)(agent()), /authenticate is not set\. Pass/],
  ['auth', () => untyped(agentHandler)(agent(), { auth: () => ({ id: 'ann' }) }), /"auth".*"authenticate"/],
  ['cors', () => handler({ cors: '*' }), /"cors".*"origins"/],
  ['path', () => handler({ path: '/agent' }), /"path".*"basePath"/],
  [
    'onDisconnect: "continue"',
    () => handler({ onDisconnect: 'continue' }),
    /onDisconnect .* Pass "abort" or "finish"/,
  ],
  ['a folder as sessions', () => handler({ sessions: './chats' }), /sessions .* Use memorySessions\(\)/],
  [
    'an address in mcpTools',
    () => untyped(mcpTools)('http://x'),
    /mcpTools expects an options object, got a string.*url/,
  ],
  [
    'mcpTools({})',
    () => untyped(mcpTools)({}),
    /mcpTools needs a server\. Use \{ command, args \}, \{ url \}/,
  ],
  [
    'no address as url',
    () => untyped(mcpTools)({ url: 'server' }),
    /mcpTools: url is not a URL\. Use one such as/,
  ],
  [
    'args as a text',
    () => untyped(mcpTools)({ command: 'npx', args: 'x' }),
    /args is a string\. Use an array/,
  ],
  [
    'tools of a server as an object',
    () => untyped(mcpServer)({ weather }),
    /mcpServer takes an agent, or an array/,
  ],
  ['null in a server', () => untyped(mcpServer)([null]), /tools contains null.*Use tool\(\{/],
  ['port of a server', () => untyped(mcpServer)(agent(), { port: 3000 }), /mcpServer has no option "port"/],
]

describe.each<[string, readonly Mistake[]]>([
  ['an agent', agents],
  ['a run', runs],
  ['a tool', tools],
  ['a model', models],
  ['a middleware', middlewares],
  ['a store', stores],
  ['media', media],
  ['testing', testing],
  ['a server', servers],
])('a mistake with %s is an error that names the option and the remedy', (_of, mistakes) => {
  test.each(mistakes)('%s', async (_name, make, says) => {
    // A promise, so that a mistake of a run and one of a definition are the same.
    const error: Error = await Promise.resolve()
      .then(make)
      .then(
        () => expect.unreachable('the mistake is accepted'),
        (thrown) => thrown,
      )
    expect(error.message).toMatch(says)
    expect(error.message).not.toMatch(
      /Cannot read|is not a function$|not iterable|Cannot destructure|'in' operator/,
    )
    expect(error.message).not.toContain('[object')
  })
})

test('there are at least 48 mistakes, and no error of the language is among their errors', async () => {
  const all = [agents, runs, tools, models, middlewares, stores, media, testing].flat()
  expect(all.length).toBeGreaterThan(48)
  for (const [name, make] of all) {
    const error = await Promise.resolve()
      .then(make)
      .catch((thrown: unknown) => thrown)
    expect(core.isCapstanError(error), name).toBe(true)
  }
})

test('an object with other fields, such as a running service, is accepted as options of a model', () => {
  const service = {
    baseURL: 'http://127.0.0.1:9/v1',
    apiKey: 'k',
    close() {},
    url: 'http://127.0.0.1:9',
    port: 9,
  }
  expect(core.chatModel('planner', service).name).toBe('planner')
  expect(mediaTools({ client: service })).toHaveLength(6)
})

test('undefined leaves an option out', async () => {
  const nothing = { instructions: undefined, policy: undefined, limits: undefined, stopWhen: undefined }
  const result = await agent(nothing).run('Hi.', { observe: undefined, signal: undefined } as never)
  expect(result.text).toBe('Hi.')
})
