/** The Chromium of this machine: the program of CHROME_PATH, or one on the PATH. */
export function findChromium(environment: NodeJS.ProcessEnv): string | undefined
