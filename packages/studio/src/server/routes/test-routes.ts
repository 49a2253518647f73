import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { HttpError, invalidRequest } from '@capstan/http/parts'
import { joinRecordings } from '../../runs/joined-recording.js'
import { replayTest, type ScriptedReply, scriptTest, slugOf } from '../../runs/test-source.js'
import type { RunSummary } from '../../types.js'
import { field, readBody, requiredField } from '../read-body.js'
import type { Route, RouteContext } from '../router.js'
import { agentsOf, currentOf, type StudioParts } from '../studio-parts.js'
import { findRun, idOf, ownRun } from './run-routes.js'

/** Returns the routes that check a run against its recording, and that export a run as a test. */
export function testRoutes(parts: StudioParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/runs/:run/check',
      async answer({ params, request }) {
        const tools = field(await readBody(request), 'tools', 'string')
        if (tools !== undefined && tools !== 'recorded' && tools !== 'run')
          throw invalidRequest('The field "tools" must be "recorded" or "run".')
        const run = await ownRun(parts, idOf(params))
        return Response.json(await agentsOf(parts).ask('check', { run, ...(tools ? { tools } : {}) }))
      },
    },
    { method: 'POST', path: '/api/runs/:run/test', answer: (context) => exportTest(parts, context) },
  ]
}

async function exportTest(parts: StudioParts, { params, request }: RouteContext): Promise<Response> {
  const body = await readBody(request)
  const style = requiredField(body, 'style', 'string')
  const run = await findRun(parts, await ownRun(parts, idOf(params)))
  const { path, recording } = testPaths(parts, run, field(body, 'path', 'string'))
  const text = await testText(parts, run, { style, path, recording })
  const files = [path, ...(style === 'replay' ? [recording] : [])]
  const exists = files.some((file) => existsSync(file))
  if (field(body, 'preview', 'boolean')) return Response.json({ path, recording, text, exists })
  if (exists && !field(body, 'replace', 'boolean'))
    throw new HttpError(
      409,
      'exists',
      `${path} already exists. Choose a different path, or replace the file.`,
    )
  if (style === 'replay') await writeFile(recording, joinRecordings(await parts.store.recordings(run.id)))
  await writeFile(path, text)
  return Response.json({ path, recording, text })
}

interface TestFile {
  readonly style: string
  readonly path: string
  readonly recording: string
}

async function testText(
  parts: StudioParts,
  run: RunSummary,
  { style, path, recording }: TestFile,
): Promise<string> {
  const { exportNames } = currentOf(parts)
  const outcome = await agentsOf(parts).ask('outcome', { run: run.id })
  const { title, agent, id, rounds } = run
  const exportName = exportNames[agent] ?? 'default'
  const options = await roundOptions(parts, id, rounds)
  const own = { path, file: parts.file ?? '', exportName, title, outcome, options }
  if (style === 'replay') return replayTest({ ...own, recording })
  if (style !== 'script') throw invalidRequest('The field "style" must be "replay" or "script".')
  const { input, replies, isScriptable } = await scriptOf(parts, id)
  if (isScriptable) return scriptTest({ ...own, input, replies })
  throw new HttpError(
    422,
    'unsupported',
    'Only a run with one round and no earlier conversation can become a script. Use the style "replay".',
  )
}

/** Returns the options of each round, without secrets, because other people will read the test. */
function roundOptions({ store, redactor }: StudioParts, id: string, rounds: number) {
  const numbers = Array.from({ length: rounds }, (_, at) => at + 1)
  return Promise.all(numbers.map(async (round) => redactor.value(await store.roundOptions(id, round))))
}

/** Returns a run's input and the model's replies, without secrets, and whether a script can repeat the run. */
async function scriptOf({ store, redactor }: StudioParts, id: string) {
  const { messages: first } = await store.state(id, 0)
  const entries = await store.wholeEntries(id)
  const rounds = entries.filter((entry) => 'round' in entry).length
  const added = entries.flatMap((entry) =>
    'event' in entry && entry.event.type === 'message-added' && entry.event.parentCallId === undefined
      ? [entry.event.message]
      : [],
  )
  const replies = added.flatMap((message): ScriptedReply[] => {
    if (message.role !== 'assistant') return []
    const calls = (message.tool_calls ?? []).map(({ function: called }) => called)
    return [{ text: typeof message.content === 'string' ? message.content : '', calls }]
  })
  const [only] = first
  const input = only?.role === 'user' && typeof only.content === 'string' ? redactor.text(only.content) : ''
  return { input, replies, isScriptable: rounds <= 1 && first.length === 1 && input !== '' }
}

/**
 * Returns the paths of a test and its recording. If no path is given, the test is next to the agent file.
 * @throws HttpError 400 for a path outside the project (the folder with the nearest `package.json`), even through a
 * link
 */
function testPaths({ file }: StudioParts, run: RunSummary, given?: string) {
  if (file === undefined)
    throw new HttpError(
      409,
      'no_file',
      'A test needs an agent file. Start the studio with one: capstan studio agent.ts',
    )
  const folder = dirname(file)
  const path = given === undefined ? join(folder, `${slugOf(run.title)}.test.ts`) : resolve(folder, given)
  if (!/^[\w][\w.-]*\.test\.ts$/.test(basename(path)))
    throw invalidRequest(
      'The path must end in .test.ts, and the file name may contain only letters, digits, _, dots and dashes.',
    )
  const real = realFolder(dirname(path))
  const root = realFolder(projectOf(folder))
  const below = real && root ? relative(root, real) : '..'
  if (/^\.\.(?:[/\\]|$)/.test(below) || isAbsolute(below))
    throw invalidRequest("The path must be in the agent file's project.")
  const recording = path.replace(/\.test\.ts$/, '.recording.jsonl')
  if ([path, recording].some(isLink))
    throw invalidRequest('The path is a symbolic link. Choose a different name.')
  return { path, recording }
}

/** Returns the closest folder that contains a `package.json`, or the folder itself if there is none. */
function projectOf(folder: string): string {
  let found = folder
  while (!existsSync(join(found, 'package.json'))) {
    const parent = dirname(found)
    if (parent === found) return folder
    found = parent
  }
  return found
}

function realFolder(folder: string): string | undefined {
  return existsSync(folder) ? realpathSync(folder) : undefined
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}
