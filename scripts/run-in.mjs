import { execFileSync } from 'node:child_process'

/** Returns the output of a command, run in a folder as outside of npm and with no key. @throws with all of its output */
export function runIn(cwd, command, args, set = {}) {
  const env = { ...process.env, OPENAI_API_KEY: '', OPENAI_BASE_URL: '', ...set }
  for (const name of Object.keys(env))
    if (/^npm_(config_(?!registry|cafile|.*proxy)|package|lifecycle)/i.test(name)) delete env[name]
  try {
    return execFileSync(command, args, {
      cwd,
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const message = `${command} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`
    throw new Error(message, { cause: error })
  }
}
