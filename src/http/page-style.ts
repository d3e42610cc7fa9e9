/** How the pages look that the Worker serves: in light and dark, without a script, without anything loaded. */
export const pageStyle = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1.5rem; color: #1a1a1a; background: #fff; }
  details { border-top: 1px solid #ddd; padding: .5rem 0; } summary { cursor: pointer; } summary span { color: #555; }
  b.get, b.post, b.put, b.patch, b.delete { display: inline-block; min-width: 4.5rem; font-size: .8rem; }
  .get { color: #0a6; } .post { color: #06c; } .put, .patch { color: #a60; } .delete { color: #c22; }
  h3 { margin: .8rem 0 .2rem; } details h3 { font-size: .9rem; }
  dd { margin: 0 0 .5rem 1rem; } dd p, h3 + p { margin: .2rem 0; } nav a { margin-right: .6rem; }
  pre { background: #f5f5f5; padding: .8rem; overflow: auto; font-size: .85rem; max-height: 30rem; }
  table { border-collapse: collapse; } td, th { border: 1px solid #ddd; padding: .3rem .5rem; text-align: left; vertical-align: top; }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } pre { background: #222; } summary span { color: #aaa; } details { border-color: #333; } a { color: #8bf; } }
`;
