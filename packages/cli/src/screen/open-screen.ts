import { toPaint } from './colour.js'
import { type Screen, toScreen } from './screen.js'
import { takeConsole } from './take-console.js'

/** The screen of this process; what the user's file says by `console` becomes lines of it. */
export function openScreen(noColour = false): Screen {
  // Prompts are painted by others, who look here.
  if (noColour) process.env.NO_COLOR = '1'
  const { stdout: out, stderr: err } = process
  const canChange = err.isTTY === true && process.env.TERM !== 'dumb'
  const screen = toScreen({ out, err }, toPaint(err, noColour), canChange)
  takeConsole(screen.line)
  return screen
}
