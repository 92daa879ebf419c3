# Named pipes, opened with the Windows API: .NET Framework normalises their names as paths and may refuse the colon in those of
# Open vSwitch.

# A stream; nothing if the pipe does not exist. The server of the pipe cannot impersonate SYSTEM.
function Open-Pipe {
    param([Parameter(Mandatory = $true)][string]$Path, [Parameter(Mandatory = $true)][int]$TimeoutMs)
    $client = Get-PipeClient
    $client.Open($Path, $TimeoutMs)
}

function Get-PipeClient {
    # Sections run in parallel, and the class can be defined only once.
    $mutex = New-Object -TypeName System.Threading.Mutex -ArgumentList $false, "kubectl-win-pipe-$PID"
    [void]$mutex.WaitOne()
    try {
        if ($null -eq ('KubectlWin.PipeClient' -as [type])) {
            Add-Type -TypeDefinition @'
using System;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace KubectlWin
{
    public sealed class PipeClient
    {
        private const uint ReadAndWrite = 0xC0000000;
        private const uint OpenExisting = 3;
        private const uint OverlappedAndAnonymous = 0x40100000;
        private const int FileNotFound = 2;
        private const int PipeBusy = 231;

        [DllImport("kernel32.dll", CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        private static extern SafeFileHandle CreateFileW(
            string path, uint access, uint share, IntPtr security, uint creation, uint flags, IntPtr template);

        [DllImport("kernel32.dll", CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        [return: MarshalAs(UnmanagedType.Bool)]
        private static extern bool WaitNamedPipeW(string path, uint milliseconds);

        public Stream Open(string path, int milliseconds)
        {
            for (int tries = 0; ; tries++)
            {
                SafeFileHandle handle = CreateFileW(
                    path, ReadAndWrite, 0, IntPtr.Zero, OpenExisting, OverlappedAndAnonymous, IntPtr.Zero);
                if (!handle.IsInvalid) return new FileStream(handle, FileAccess.ReadWrite, 1, true);
                int error = Marshal.GetLastWin32Error();
                if (error == FileNotFound) return null;
                if (error != PipeBusy || tries == 5 || !WaitNamedPipeW(path, (uint)milliseconds))
                    Marshal.ThrowExceptionForHR(Marshal.GetHRForLastWin32Error());
            }
        }
    }
}
'@
        }
    } finally {
        $mutex.ReleaseMutex()
        $mutex.Dispose()
    }
    New-Object -TypeName KubectlWin.PipeClient
}
