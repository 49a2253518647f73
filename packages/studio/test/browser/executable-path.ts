import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The Chromium of this machine: of CHROME_PATH, else on the PATH. */
export const executablePath = findChromium(process.env)

function findChromium({ CHROME_PATH, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (CHROME_PATH) return CHROME_PATH
  const names = ['chromium', 'chromium-headless-shell', 'google-chrome']
  return PATH.split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
