import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Resolves to the output of a command, run in a folder as outside of npm and with no key. @throws with all of its output */
export async function runIn(cwd, command, args, set = {}) {
  const env = { ...process.env, OPENAI_API_KEY: '', OPENAI_BASE_URL: '', ...set }
  for (const name of Object.keys(env))
    if (/^npm_(config_(?!registry|@|cache$|cafile|.*proxy)|package|lifecycle)/i.test(name)) delete env[name]
  try {
    const running = execute(command, args, { cwd, env, maxBuffer: 2 ** 28 })
    running.child.stdin.end()
    return (await running).stdout
  } catch (error) {
    const message = `${command} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`
    throw new Error(message, { cause: error })
  }
}
