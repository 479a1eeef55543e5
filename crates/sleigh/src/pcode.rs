//! Raw p-code: opcodes, varnodes, and operations as the specification's templates yield them.

use crate::space::SpecificationSpaceId;
use crate::specification::Specification;
use std::fmt;

/// Declares the opcodes once: number in a `.sla` file, name here, name in listings.
macro_rules! opcodes {
    ($($number:literal $name:ident $text:literal;)*) => {
        /// The opcode of an operation. Ghidra's p-code reference manual defines each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the names are those of the p-code reference manual")]
        pub enum Opcode { $($name = $number,)* }

        impl Opcode {
            /// Every opcode that an instruction's p-code can contain.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name,)*];

            /// The name used in p-code listings.
            pub fn name(self) -> &'static str {
                match self { $(Opcode::$name => $text,)* }
            }

            pub(crate) fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Opcode::$name),)* _ => None }
            }
        }
    };
}

opcodes! {
    1 Copy "COPY";
    2 Load "LOAD";
    3 Store "STORE";
    4 Branch "BRANCH";
    5 ConditionalBranch "CBRANCH";
    6 BranchIndirect "BRANCHIND";
    7 Call "CALL";
    8 CallIndirect "CALLIND";
    9 CallOther "CALLOTHER";
    10 Return "RETURN";
    11 IntEqual "INT_EQUAL";
    12 IntNotEqual "INT_NOTEQUAL";
    13 IntSignedLess "INT_SLESS";
    14 IntSignedLessEqual "INT_SLESSEQUAL";
    15 IntLess "INT_LESS";
    16 IntLessEqual "INT_LESSEQUAL";
    17 IntZeroExtend "INT_ZEXT";
    18 IntSignExtend "INT_SEXT";
    19 IntAdd "INT_ADD";
    20 IntSubtract "INT_SUB";
    21 IntCarry "INT_CARRY";
    22 IntSignedCarry "INT_SCARRY";
    23 IntSignedBorrow "INT_SBORROW";
    24 IntNegate "INT_2COMP";
    25 IntNot "INT_NEGATE";
    26 IntXor "INT_XOR";
    27 IntAnd "INT_AND";
    28 IntOr "INT_OR";
    29 IntShiftLeft "INT_LEFT";
    30 IntShiftRight "INT_RIGHT";
    31 IntSignedShiftRight "INT_SRIGHT";
    32 IntMultiply "INT_MULT";
    33 IntDivide "INT_DIV";
    34 IntSignedDivide "INT_SDIV";
    35 IntRemainder "INT_REM";
    36 IntSignedRemainder "INT_SREM";
    37 BoolNot "BOOL_NEGATE";
    38 BoolXor "BOOL_XOR";
    39 BoolAnd "BOOL_AND";
    40 BoolOr "BOOL_OR";
    41 FloatEqual "FLOAT_EQUAL";
    42 FloatNotEqual "FLOAT_NOTEQUAL";
    43 FloatLess "FLOAT_LESS";
    44 FloatLessEqual "FLOAT_LESSEQUAL";
    46 FloatIsNan "FLOAT_NAN";
    47 FloatAdd "FLOAT_ADD";
    48 FloatDivide "FLOAT_DIV";
    49 FloatMultiply "FLOAT_MULT";
    50 FloatSubtract "FLOAT_SUB";
    51 FloatNegate "FLOAT_NEG";
    52 FloatAbsolute "FLOAT_ABS";
    53 FloatSquareRoot "FLOAT_SQRT";
    54 IntToFloat "INT2FLOAT";
    55 FloatToFloat "FLOAT2FLOAT";
    56 FloatToInt "TRUNC";
    57 FloatCeil "CEIL";
    58 FloatFloor "FLOOR";
    59 FloatRound "ROUND";
    62 Piece "PIECE";
    63 Subpiece "SUBPIECE";
    67 SegmentOperation "SEGMENTOP";
    68 ConstantPool "CPOOLREF";
    69 New "NEW";
    70 Insert "INSERT";
    71 Extract "EXTRACT";
    72 PopCount "POPCOUNT";
    73 LeadingZeroCount "LZCOUNT";
}

impl fmt::Display for Opcode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A storage location (or, in the constant space, a value): a space, an offset in bytes, a size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Varnode {
    /// Its space.
    pub space: SpecificationSpaceId,
    /// Its size in bytes.
    pub size: u32,
    /// Its offset; in the constant space, the value.
    pub offset: u64,
}

impl Varnode {
    /// A constant.
    pub fn constant(value: u64, size: u32) -> Self {
        Self { space: SpecificationSpaceId::CONSTANT, size, offset: value }
    }

    /// Whether this is a constant.
    pub fn is_constant(self) -> bool {
        self.space == SpecificationSpaceId::CONSTANT
    }
}

/// One p-code operation of an instruction.
///
/// The first input of `LOAD` and `STORE` is a constant whose offset is the number of the space that is accessed; the
/// first input of `CALLOTHER` is the index of the user operation. A branch whose target is a *constant* is relative: it
/// goes that many operations forward (or, as a signed number, back) within the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation<'i> {
    /// The opcode.
    pub opcode: Opcode,
    /// The output.
    pub output: Option<Varnode>,
    /// The inputs.
    pub inputs: &'i [Varnode],
}

impl Operation<'_> {
    /// A listing line with the names of spaces and registers.
    pub fn display<'a>(&'a self, specification: &'a Specification) -> impl fmt::Display + 'a {
        fmt::from_fn(move |formatter| {
            if let Some(output) = self.output {
                write!(formatter, "{} = ", specification.varnode_text(output))?;
            }
            write!(formatter, "{}", self.opcode)?;
            for (position, input) in self.inputs.iter().enumerate() {
                let names_space = matches!(self.opcode, Opcode::Load | Opcode::Store) && position == 0;
                match specification.spaces().get(input.offset as usize) {
                    Some(space) if names_space => write!(formatter, " {}", space.name)?,
                    _ => write!(formatter, " {}", specification.varnode_text(*input))?,
                }
            }
            Ok(())
        })
    }
}

/// An operation as stored: a range of one shared list of varnodes, the output first if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredOperation {
    pub(crate) opcode: Opcode,
    pub(crate) has_output: bool,
    pub(crate) count: u16,
    pub(crate) start: u32,
}

impl StoredOperation {
    pub(crate) fn view(self, varnodes: &[Varnode]) -> Operation<'_> {
        let start = self.start as usize;
        let all = &varnodes[start..start + usize::from(self.count)];
        let (output, inputs) = if self.has_output { (Some(all[0]), &all[1..]) } else { (None, all) };
        Operation { opcode: self.opcode, output, inputs }
    }
}
