// A driver with a part in C is not bundled.
export default { serverExternalPackages: ['libsql'] }
