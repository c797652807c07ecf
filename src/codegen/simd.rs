//! Instructions that not every processor has, behind the check that makes them safe. Nothing else is here.
//!
//! The crate is compiled for the oldest processor of its architecture. Loops that profit from fused
//! multiply-add or wide registers are written once, in safe and inlinable code, and instantiated here under
//! a `target_feature` that was found at run time. Fused multiply-add is the same function everywhere (without
//! the instruction it is a slow library call), so the dispatch never changes a result.

/// What the processor offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Baseline,
    /// AVX2 and FMA.
    Four,
    /// AVX-512 F, DQ and VL.
    Eight,
}

/// The widest instructions of this processor.
pub fn width() -> Width {
    #[cfg(target_arch = "x86_64")]
    {
        use std::sync::OnceLock;
        static WIDTH: OnceLock<Width> = OnceLock::new();
        *WIDTH.get_or_init(|| {
            if !(std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")) {
                Width::Baseline
            } else if std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl")
            {
                Width::Eight
            } else {
                Width::Four
            }
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    Width::Baseline
}

/// Whether fused multiply-add is an instruction.
pub fn has_fma() -> bool {
    width() != Width::Baseline || cfg!(target_arch = "aarch64")
}

/// Work that is compiled once for every instruction set. Only what is inlined gets its instructions, and closures may not
/// be: `run`, and all it calls in its loops, must be `#[inline(always)]`.
pub trait Work {
    type Output;

    fn run(self) -> Self::Output;
}

/// Runs work with fused multiply-add as an instruction where there is one.
#[inline]
pub fn fused<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn four<W: Work>(work: W) -> W::Output {
            work.run()
        }
        if width() != Width::Baseline {
            // SAFETY: `width` has found AVX2 and FMA on this processor.
            return unsafe { four(work) };
        }
    }
    work.run()
}

/// Runs work with the widest vectors.
#[inline]
pub fn widest<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
        fn eight<W: Work>(work: W) -> W::Output {
            work.run()
        }
        if width() == Width::Eight {
            // SAFETY: `width` has found AVX-512 F, DQ and VL on this processor.
            return unsafe { eight(work) };
        }
    }
    fused(work)
}

/// Runs code that is not in the inner loop of anything with fused multiply-add where it is inlined.
#[inline]
pub fn with_fma<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn four<T>(work: impl FnOnce() -> T) -> T {
            work()
        }
        if width() != Width::Baseline {
            // SAFETY: `width` has found AVX2 and FMA on this processor.
            return unsafe { four(work) };
        }
    }
    work()
}

/// Clears the upper halves of the vector registers. Compiled kernels mix legacy and VEX instructions, which is
/// two to four times slower while upper halves are dirty; every entry into compiled code comes after this.
#[cfg(feature = "jit")]
#[inline(always)]
pub fn clear_upper() {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx")]
        fn clear() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        if width() != Width::Baseline {
            // SAFETY: AVX2 implies AVX.
            unsafe { clear() };
        }
    }
}
