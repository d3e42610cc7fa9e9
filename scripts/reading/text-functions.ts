/** Functions that others may call with a text: exported ones, and public methods of exported classes, with what their parameters hold. */
import type { Class, Function as FunctionNode, ParamPattern, TSType } from "oxc-parser";
import type { SourceFile } from "./sources.js";

export interface TextFunction {
  /** `src/text/tokenizer.ts tokenize`; of a method `… Lexicon.find`. */
  readonly name: string;
  /** The parameters, or fields of them, that are texts. */
  readonly texts: readonly string[];
}

/** Names of what is no text of anybody's: ids, names and addresses of ours, moments, SQL. Their lengths are bounded where they come in. */
const ownNames =
  /^(?:\w*Ids?|id|names?|kind|type|keys?|\w+Key|work|works|iso|now|at|\w+At|scope|cursor|position|order|origin|method|paths?|tool|server|servers|agent|team|workers?|live|known|chain|memory|memories|topic|conversation|hash|\w+Hash|salt|token|subject|url|baseUrl|address|presented|revision|status|role|hook|decision|column|who|moment|lock|step|prefix|suffix|tenant|models?|provider|cf|secrets?|apiKey|masterSecret|bookmark|sent|sql|supervisors?|from|to|code|tags?|target|channel|connection|panel|seats?|event|entity|topics|progress|timestamp|claim|kept|made|made?|under|erased|instead|label|format|flags|finishReason|character)$/;

export function textFunctions({ path, program }: SourceFile): TextFunction[] {
  return program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : undefined;
    switch (declaration?.type) {
      case "FunctionDeclaration":
        return over(path, declaration.id?.name ?? "", declaration.params);
      case "VariableDeclaration":
        return declaration.declarations.flatMap(({ id, init }) =>
          id.type === "Identifier" && (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression")
            ? over(path, id.name, init.params)
            : [],
        );
      case "ClassDeclaration":
        return methodsOf(path, declaration);
      default:
        return [];
    }
  });
}

function methodsOf(path: string, { id, body }: Class): TextFunction[] {
  return body.body.flatMap((member) =>
    member.type === "MethodDefinition" && member.accessibility !== "private" && member.key.type === "Identifier"
      ? over(path, `${id?.name}.${member.key.name}`, member.value.params)
      : [],
  );
}

function over(path: string, name: string, params: FunctionNode["params"]): TextFunction[] {
  const texts = params.flatMap((param) => textsIn(nameOf(param), typeOf(param))).filter((text) => !ownNames.test(text));
  return texts.length === 0 ? [] : [{ name: `${path} ${name}`, texts }];
}

function nameOf(param: ParamPattern): string {
  switch (param.type) {
    case "Identifier":
      return param.name;
    case "AssignmentPattern":
      return nameOf(param.left);
    case "TSParameterProperty":
      return nameOf(param.parameter);
    case "RestElement":
      return nameOf(param.argument);
    default:
      return "";
  }
}

function typeOf(param: ParamPattern): TSType | undefined {
  if (param.type === "TSParameterProperty") return typeOf(param.parameter);
  if (param.type === "AssignmentPattern") return typeOf(param.left);
  return param.typeAnnotation?.typeAnnotation;
}

/** What of a type is text: `string`, lists and sets and tables of it, and fields that are. */
function textsIn(name: string, type: TSType | undefined): string[] {
  switch (type?.type) {
    case "TSStringKeyword":
      return [name];
    case "TSArrayType":
      return textsIn(name, type.elementType);
    case "TSTypeOperator":
      return textsIn(name, type.typeAnnotation);
    case "TSUnionType":
    case "TSIntersectionType":
      return type.types.flatMap((one) => textsIn(name, one));
    case "TSTypeLiteral":
      return type.members.flatMap((member) =>
        member.type === "TSPropertySignature" && member.key.type === "Identifier"
          ? textsIn(member.key.name, member.typeAnnotation?.typeAnnotation)
          : [],
      );
    case "TSTypeReference": {
      const held = type.typeArguments?.params ?? [];
      const of = type.typeName.type === "Identifier" ? type.typeName.name : "";
      if (/^(?:Readonly)?Map$|^Record$/.test(of)) return textsIn(name, held[1]);
      return /^(?:(?:Readonly)?(?:Set|Array)|Iterable|Readonly|Partial)$/.test(of)
        ? held.flatMap((one) => textsIn(name, one))
        : [];
    }
    default:
      return [];
  }
}
