import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The Chromium of this machine, as Debian and others install it: the program of CHROME_PATH, or one on the PATH. */
export function findChromium({ CHROME_PATH, PATH = '' }) {
  if (CHROME_PATH) return CHROME_PATH
  const names = ['chromium', 'chromium-headless-shell', 'google-chrome']
  const files = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return files.find(isProgram)
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
