// In place of tsx where bundle-hooks.mjs is, which starts tsx itself for a file that needs it.
process.setSourceMapsEnabled(true)

export function register() {}
