// Each whole tool in the docs that come with `ai` and `@mastra/core`, as it is written there: it is taken, and called.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, isCapstanError } from '@capstan/core'
import { approveAll, autoModel } from '@capstan/testing'
import { fromAiSdkTools, fromMastraTools } from '@capstan/tools/frameworks'
import { createTool } from '@mastra/core/tools'
import * as ai from 'ai'
import { z } from 'zod'

const packages = fileURLToPath(new URL('../node_modules', import.meta.url))

/** Stands for what a page does not show: a function or a value of the reader's program. */
const missing = new Proxy(() => {}, {
  get: (_, name) => (name === 'then' || typeof name === 'symbol' ? undefined : missing),
  apply: () => missing,
  construct: () => missing,
})

/** Yields the values of calls of these functions in the code blocks of pages. */
function* callsIn(pages, names, known) {
  const scope = new Proxy(known, {
    has: (_, name) => name !== 'scope',
    get: (_, name) => {
      if (typeof name === 'symbol') return undefined
      return name in known ? known[name] : name in globalThis ? globalThis[name] : missing
    },
  })
  const calls = new RegExp(`(?<![\\w.])(?:${names})\\(\\{`, 'g')
  for (const page of globSync(pages, { cwd: packages }).sort())
    for (const [, code] of readFileSync(join(packages, page), 'utf8').matchAll(
      /```(?:ts|tsx|typescript)\b[^\n]*\n(.*?)```/gs,
    ))
      for (const { index } of code.matchAll(calls)) {
        const value = evaluate(callAt(code, index), scope)
        if (value) yield [page, value]
      }
}

/** Returns a call from its name to its closing parenthesis. */
function callAt(code, from) {
  let depth = 0
  const tokens =
    /\/\/[^\n]*|\/\*.*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[()[\]{}]/gs
  tokens.lastIndex = from
  for (let token = tokens.exec(code); token; token = tokens.exec(code)) {
    if (/^[([{]$/.test(token[0])) depth++
    if (/^[)\]}]$/.test(token[0]) && --depth === 0) return code.slice(from, tokens.lastIndex)
  }
  return ''
}

/** Evaluates a call; undefined for one that is no program, such as one with `...` in it. */
function evaluate(call, scope) {
  try {
    const code = stripTypeScriptTypes(`(${call})`).trim().replace(/;$/, '')
    return new Function('scope', `with (scope) { return ${code} }`)(scope)
  } catch (error) {
    // Mastra itself refuses a schema that the page does not show.
    if (error instanceof SyntaxError || /^Unsupported schema type: function/.test(error.message))
      return undefined
    throw error
  }
}

/** Errors of the tools themselves: of what a page does not show, and of what no run of ours has. */
const own = [
  /it is a (function|Response)|Cannot read properties|Tool output validation failed|Unexpected string/,
  /[Ss]andbox is not available|(is missing|Authentication required|workspace execution context)|suspends its run/,
]

/** Takes and calls each tool. Returns how many, and what failed. */
async function prove(label, calls, toOurs) {
  const tools = []
  const refused = []
  let cut = 0
  for (const [page, value] of calls) {
    // A page about another field leaves out what a tool needs.
    const { execute, inputSchema, id, description } = value
    if (!execute || (!inputSchema && !id) || [execute, inputSchema, description].includes(missing)) cut++
    else
      try {
        tools.push(...toOurs(`tool_${tools.length + 1}`, value))
      } catch (error) {
        if (!isCapstanError(error) || error.code !== 'unsupported')
          throw new Error(`in ${page}`, { cause: error })
        refused.push(error.message.replace(/^Tool "\w+" /, ''))
      }
  }
  const failed = []
  let called = 0
  for (const tool of tools) {
    const model = autoModel({ perTool: 3 })
    const agent = new Agent({ model, tools: [tool] })
    const context = {
      projectName: 'p',
      weatherApiKey: 'k',
      defaultUnit: 'celsius',
      apiKey: 'k',
      accountId: 'a',
      region: 'us',
      userId: 'u',
    }
    let result = await agent.run('Go', { context })
    while (result.pending) result = await agent.run(result.state, { context, decisions: approveAll(result) })
    called += result.toolCalls.length
    failed.push(...model.surprises(result).filter((one) => !own.some((error) => error.test(one))))
  }
  assert.deepEqual(failed, [])
  const why = [...new Set(refused)].map(
    (reason) => `; ${refused.filter((one) => one === reason).length} unsupported: ${reason}`,
  )
  log(`${label}: ${tools.length} tools, ${called} calls, ${cut} cut short${why.join('')}`)
  return tools.length
}

globalThis.fetch = async () => Response.json({})
const { log } = console
console.log = () => {}
const aiTools = callsIn('ai/docs/**/*.mdx', 'tool|dynamicTool', { ...ai, z })
const ofAi = await prove('docs of ai', aiTools, (name, value) => fromAiSdkTools({ [name]: value }))
const mastraTools = callsIn('@mastra/core/dist/docs/references/*.md', 'createTool', { createTool, z })
const ofMastra = await prove('docs of @mastra/core', mastraTools, (name, value) =>
  fromMastraTools({ [name]: value }),
)
assert.ok(ofAi >= 100 && ofMastra >= 40)
