/** The release's number, as package.json has it: `npm run release` writes both. */
export const version = "0.1.0";
